import { Writable } from 'node:stream';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import {
  activated,
  circleOf,
  everythingFor,
  founded,
  GATE,
  registered,
  underPolicies,
} from '../access-http/support.js';
import { newKey, newLedger, proofOver, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { make, ok, requestsOn, setScene, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';
import { EFFORTS, Intruder } from './altered-rows.js';

const log: string[] = [];
const sink = new Writable({
  write(chunk, _, done) {
    log.push(String(chunk));
    done();
  },
});

/** The first one makes everything; the second has not seen anything when something was altered. */
const servers = withTwoServers({ logger: pino({ level: 'error' }, sink) });

let intruder: Intruder;
beforeAll(async () => {
  intruder = await Intruder.at(servers.databaseUrl);
});
afterAll(() => intruder.leave());
beforeEach(() => {
  log.length = 0;
});

const url = () => servers.current[0].url;

/** The same client, at the server that has nothing in memory. */
function atOther(client: TestClient): TestClient {
  const [, { url }] = servers.current;
  return Object.assign(Object.create(Object.getPrototypeOf(client)), client, { url });
}

async function alarms(): Promise<number> {
  const counts = await Promise.all(
    servers.current.map(async ({ server }) => {
      const { values } = await server.metrics.registry.getSingleMetric('countersign_corrupt_versions_total')!.get();
      return values[0]!.value;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function expectRefused(answer: TestAnswer): void {
  expect(answer.status, answer.text).toBe(500);
  expect(answer.body.data).toEqual({ reason: 'api.unexpected-error', detail: 'Unexpected server error' });
}

const ALTERED = { altered: 'by the intruder' };

function alteration(data: JsonObject): JsonObject {
  return { ...data, custom: ALTERED };
}

/** Everything that can be asked about a stored record. */
function everyRequest(client: TestClient, record: RecordEnvelope): [what: string, ask: () => Promise<TestAnswer>][] {
  const { handle } = record.data;
  const path = `/wallets/${handle}`;
  const reads = [
    path,
    `/wallets/${record.luid}`,
    '/wallets',
    `/wallets?data.handle=${handle}`,
    `${path}/changes`,
    `${path}/changes/1`,
    `/wallets/${record.luid}/changes`,
  ];
  return [
    ...reads.map((one) => [`GET ${one}`, () => client.get(one)] as [string, () => Promise<TestAnswer>]),
    ['update', () => client.update(path, record, { handle: 'w', custom: { more: 1 } })],
    ['prove', () => client.prove(path, record, { status: 'active' })],
    ['drop', () => client.drop(path, record)],
    ['check', () => client.call('POST', `${path}/access/!check`, signed({ action: 'read' }, client.key))],
    ['create again', () => client.create('/wallets', { handle: 'w', custom: { is: 'true' } })],
  ];
}

describe('a version that was altered in the database', () => {
  it.each(EFFORTS)('is answered to nobody, signed for nobody and written upon by nobody (%s)', async (effort) => {
    const client = await newLedger(url());
    const record = await stored(client, 'wallet', { handle: 'w', custom: { is: 'true' } });
    await intruder.alter(record.luid, alteration, effort);
    for (const [what, ask] of everyRequest(atOther(client), record)) {
      const [before, answer] = [await alarms(), await ask()];
      if (what === 'create again' && answer.status === 409) continue;
      expectRefused(answer);
      expect(await alarms(), what).toBe(before + 1);
    }
    expect(log.length).toBeGreaterThan(0);
    const ledger = (await atOther(client).get('/ledger')).body.luid;
    for (const line of log) {
      expect(JSON.parse(line)).toMatchObject({ ledger, luid: record.luid, change: 1, level: 50 });
      expect(line).not.toContain('intruder');
    }
  });

  it.each(EFFORTS)('is as it was to whoever has read it before, or is not answered (%s)', async (effort) => {
    const client = await newLedger(url());
    const record = await stored(client, 'wallet', { handle: 'w', custom: { is: 'true' } });
    const path = `/wallets/${record.data.handle}`;
    const before = [
      ok(await client.get(path)),
      ok(await client.get('/wallets')),
      ok(await client.get(`${path}/changes`)),
    ];
    await intruder.alter(record.luid, alteration, effort);
    expect((await client.get(path)).text).toBe(before[0]!.text);
    for (const [, ask] of everyRequest(client, record).slice(0, 7)) {
      const answer = await ask();
      if (answer.status !== 200) expectRefused(answer);
      expect(answer.text).not.toContain('intruder');
    }
    expectRefused(await client.get('/wallets'));
    expectRefused(await client.get(`${path}/changes`));
  });

  it('is answered again once it is as it was', async () => {
    const client = await newLedger(url());
    const record = await stored(client, 'wallet', { handle: 'w', custom: { is: 'true' } });
    await intruder.alterText(record.luid, 1, (text) => text.replace('true', 'tru3'));
    const other = atOther(client);
    expectRefused(await other.get('/wallets/w'));
    expectRefused(await other.get('/wallets'));
    await intruder.alterText(record.luid, 1, (text) => text.replace('tru3', 'true'));
    expect((await other.get('/wallets/w')).body).toEqual(record);
    expect((await other.get('/wallets')).body.data).toEqual([record]);
  });

  it('leaves the others alone', async () => {
    const client = await newLedger(url());
    const record = await stored(client, 'wallet', { handle: 'w-1' });
    await stored(client, 'wallet', { handle: 'w-2' });
    await intruder.alter(record.luid, alteration);
    const other = atOther(client);
    const answers = await Promise.all(['w-1', 'w-2', 'w-3'].map((handle) => other.get(`/wallets/${handle}`)));
    expect(answers.map(({ status }) => status)).toEqual([500, 200, 404]);
  });

  it('is noticed where only the status was, or the owners, labels or moment', async () => {
    const client = await newLedger(url());
    const record = await stored(client, 'wallet', { handle: 'w' });
    await intruder.alterText(record.luid, 1, (text) =>
      text.replace('"status":"created","moment"', '"status":"active","moment"'),
    );
    expectRefused(await atOther(client).get('/wallets/w'));
    expectRefused(await atOther(client).get('/wallets'));
  });
});

describe('rows that were exchanged', () => {
  const twoWallets = async () => {
    const client = await newLedger(url());
    const one = await stored(client, 'wallet', { handle: 'w-1', custom: { is: 1 } });
    const two = await stored(client, 'wallet', { handle: 'w-2', custom: { is: 2 } });
    return { client: atOther(client), one, two };
  };
  const PATHS = ['/wallets/w-1', '/wallets/w-2', '/wallets'];

  it.each([true, false])('are noticed by what is in them (with their codes: %s)', async (withCodes) => {
    const { client, one, two } = await twoWallets();
    await intruder.run(
      `update change c set body = o.body, mac = ${withCodes ? 'o.mac' : 'null'} from change o
        where (c.luid, o.luid) in (($1, $2), ($2, $1))`,
      one.luid,
      two.luid,
    );
    for (const path of [...PATHS, '/wallets/w-1/changes', '/wallets/w-1/changes/1']) {
      expectRefused(await client.get(path));
    }
  });

  it.each([true, false])('are noticed by the name they are found under (with their codes: %s)', async (withCodes) => {
    const { client, one, two } = await twoWallets();
    if (!withCodes) for (const { luid } of [one, two]) await intruder.forgetCode(luid);
    await intruder.run(`update record set handle = 'x' where luid = $1`, one.luid);
    await intruder.run(`update record set handle = 'w-1' where luid = $1`, two.luid);
    expectRefused(await client.get('/wallets/w-1'));
    expectRefused(await client.update('/wallets/w-1', one, { handle: 'w-1' }));
  });

  it.each([true, false])(
    'are noticed where they were put into another ledger (with their codes: %s)',
    async (withCodes) => {
      const { client, one } = await twoWallets();
      const other = atOther(await newLedger(url(), { key: client.key }));
      // The same server remembers the wallet from a list of the ledger that it belongs to.
      ok(await client.get('/wallets'));
      for (const table of ['change', 'record']) {
        const columns = await intruder.run(
          `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
          where table_name = $1 and column_name not in ('ledger_id', 'seq')`,
          table,
        );
        const { names } = columns[0] as { names: string };
        await intruder.run(
          `insert into ${table} (ledger_id, ${names})
          select l.id, ${names.replaceAll(/(\w+)/g, 't.$1')} from ${table} t, ledger l where t.luid = $1 and l.handle = $2`,
          one.luid,
          other.ledger,
        );
      }
      if (!withCodes) await intruder.forgetCode(one.luid);
      for (const path of ['/wallets/w-1', `/wallets/${one.luid}`, '/wallets', '/wallets/w-1/changes/1']) {
        expectRefused(await other.get(path));
      }
      ok(await client.get('/wallets/w-1'));
    },
  );

  it('are noticed where a version is gone that others name', async () => {
    const { client, one, two } = await twoWallets();
    ok(await client.prove('/wallets/w-2', two, { status: 'active' }));
    ok(await client.prove('/wallets/w-2', two, { status: 'closed' }));
    await intruder.run('delete from change where luid = $1', one.luid);
    await intruder.run('delete from change where luid = $1 and change = 2', two.luid);
    for (const path of ['/wallets/w-1', '/wallets', '/wallets/w-1/changes', '/wallets/w-2/changes']) {
      expectRefused(await client.get(path));
    }
    ok(await client.get('/wallets/w-2'));
  });

  it('are noticed where an older version takes the place of a newer one', async () => {
    const { client, one } = await twoWallets();
    ok(await client.prove('/wallets/w-1', one, { status: 'active' }));
    ok(await client.prove('/wallets/w-1', one, { status: 'closed' }));
    // One version takes the place of the next, made in the same way or in another.
    for (const older of [2, 1]) {
      await intruder.run(
        `update change c set body = o.body, mac = o.mac from change o
          where c.luid = $1 and o.luid = $1 and c.change = $2 + 1 and o.change = $2`,
        one.luid,
        older,
      );
      expectRefused(await client.get('/wallets'));
      expectRefused(await client.get(`/wallets/w-1/changes/${older + 1}`));
    }
  });
});

describe('what access is decided by', () => {
  /** Another who has no rights, and what is tried on the server that has not seen the ledger yet. */
  const mallory = newKey();
  const creates = (founder: TestClient) => atOther(founder).as(mallory).create('/wallets', { handle: 'taken' });
  const reads = (founder: TestClient) => atOther(founder).get('/wallets/w', bearer(mallory));

  const expectClosed = async (founder: TestClient) => {
    await stored(founder, 'wallet', { handle: 'w' });
    for (const attempt of [creates, reads]) expectRefused(await attempt(founder));
  };

  const ANYTHING = [{ action: 'any', record: 'any' }];

  it.each(EFFORTS)('is not the ledger, once altered (%s)', async (effort) => {
    const founder = await founded(url(), [GATE]);
    const { luid } = ok(await founder.get('/ledger', bearer(founder.key))).body;
    await stored(founder, 'wallet', { handle: 'v' });
    await intruder.alter(luid, (data) => ({ ...data, access: ANYTHING }), effort);
    await expectClosed(founder);
  });

  it.each(EFFORTS)('is not a policy, once altered (%s)', async (effort) => {
    const founder = await underPolicies(url(), [{ handle: 'p', record: 'wallet', values: [{ action: 'query' }] }]);
    const { luid } = ok(await founder.get('/policies/p', bearer(founder.key))).body;
    await intruder.alter(luid, (data) => ({ ...data, record: 'any', values: ANYTHING }), effort, 2);
    await expectClosed(founder);
  });

  it.each(EFFORTS)('is not a signer, once altered (%s)', async (effort) => {
    const founder = await founded(url(), [
      { action: 'any', signer: { handle: 'boss' } },
      { action: 'any', bearer: { $signer: { handle: 'boss' } } },
    ]);
    await registered(founder, 'boss');
    const { luid } = ok(await founder.get('/signers/boss', bearer(founder.key))).body;
    await intruder.alter(luid, (data) => ({ ...data, public: mallory.public }), effort);
    await intruder.run('update record set link = $2 where luid = $1', luid, mallory.public);
    await expectClosed(founder);
  });

  it('is not the key under which the index has another signer', async () => {
    const founder = await founded(url(), [{ action: 'any', signer: { handle: 'boss' } }]);
    await registered(founder, 'boss');
    const { luid } = ok(await founder.get('/signers/boss', bearer(founder.key))).body;
    await intruder.run('update record set link = $2 where luid = $1', luid, mallory.public);
    await expectClosed(founder);
  });

  it.each(EFFORTS)('is not a factor, once altered (%s)', async (effort) => {
    const founder = await founded(url(), [{ action: 'any', signer: { handle: 'boss' } }]);
    await registered(founder, 'boss');
    const factor = await stored(founder, 'signer-factor', {
      handle: 'f',
      signer: 'boss',
      schema: 'key-pair',
      format: 'ed25519-raw',
      public: newKey().public,
    });
    await intruder.alter(factor.luid, (data) => ({ ...data, public: mallory.public }), effort);
    await intruder.run('update record set link = $2 where luid = $1', factor.luid, mallory.public);
    expectRefused(await creates(founder));
  });

  const inCircle = async () => {
    const founder = await founded(url(), [
      { action: 'any', signer: { $circle: 'ops' } },
      { action: 'any', bearer: { $signer: { $circle: 'ops' } } },
    ]);
    await registered(founder, 'boss');
    await stored(founder, 'signer', { handle: 'mallory', public: mallory.public, format: 'ed25519-raw' });
    const [membership] = await circleOf(founder, 'ops', 'boss');
    await stored(founder, 'wallet', { handle: 'w' });
    return { founder, membership: membership! };
  };

  it.each(EFFORTS)('is not a membership, once altered (%s)', async (effort) => {
    const { founder, membership } = await inCircle();
    await intruder.alter(membership.luid, (data) => ({ ...data, signer: 'mallory' }), effort);
    await intruder.run(`update record set link = 'mallory', handle = 'ops/mallory' where luid = $1`, membership.luid);
    expectRefused(await creates(founder));
    expectRefused(await reads(founder));
  });

  it('is not a membership that only the index knows of', async () => {
    const { founder, membership } = await inCircle();
    await intruder.run(`update record set link = 'mallory', handle = 'ops/mallory' where luid = $1`, membership.luid);
    expectRefused(await creates(founder));
    expectRefused(await reads(founder));
  });

  it('is not the record itself, once altered', async () => {
    const founder = await founded(url(), [GATE]);
    const wallet = await stored(founder, 'wallet', { handle: 'w' });
    await intruder.alter(wallet.luid, (data) => ({ ...data, access: ANYTHING }));
    expectRefused(await atOther(founder).get('/wallets/w', bearer(mallory)));
    const proof = proofOver(wallet.hash, mallory, { status: 'closed' });
    expectRefused(await atOther(founder).call('POST', '/wallets/w/proofs', proof));
  });

  it('is not a schema that the index says is another', async () => {
    const [lax, strict] = [await newLedger(url()), await newLedger(url())];
    const content = (handle: string, schema: JsonObject) => ({
      handle,
      record: 'wallet',
      format: 'json-schema',
      schema,
    });
    const any = await stored(lax, 'schema', content('s', { type: 'object' }));
    const none = await stored(strict, 'schema', content('s', { type: 'object', required: ['nothing'] }));
    const wallet = { handle: 'w', schema: 's' };
    ok(await atOther(lax).create('/wallets', wallet));
    await intruder.run('update record set hash = $2 where luid = $1', none.luid, any.hash);
    expectRefused(await atOther(strict).create('/wallets', wallet));
  });

  it('is not a schema that the index says is in another domain', async () => {
    const client = await newLedger(url());
    await stored(client, 'domain', { handle: 'd' });
    const schema = { handle: 's', record: 'wallet', format: 'json-schema', schema: { type: 'object' } };
    const { luid } = ok(await client.create('/schemas', schema, { status: 'created', domain: 'd' })).body;
    await intruder.run('update record set domain = null where luid = $1', luid);
    expectRefused(await atOther(client).create('/wallets', { handle: 'w', schema: 's' }));
  });

  it('is not a policy that was activated by hand', async () => {
    const founder = await underPolicies(url(), []);
    const everything = { schema: 'access', record: 'any', values: ANYTHING };
    const policy = await stored(founder, 'policy', { handle: 'p', ...everything });
    await activated(founder, { handle: 'q', ...everything, values: everythingFor(founder.key) });
    await intruder.alterText(policy.luid, 1, (text) => text.replaceAll('"status":"created"', '"status":"active"'));
    expectRefused(await creates(founder));
  });
});

describe.each(kinds.map(({ name }) => name))('a %s', (name) => {
  it('of a release that made no codes is believed for its hash and proof, and no more once it is altered', async () => {
    const scene = await setScene(url(), name, { shape: 'full' });
    const record = await make(scene);
    await intruder.forgetCode(record.luid);
    const client = atOther(scene.client);
    const paths = requestsOn(scene, record).flatMap(({ method, path }) => (method === 'GET' ? [path] : []));
    const lists = name === 'ledger' ? [] : [scene.collection];
    for (const path of [...paths, ...lists]) expect((await client.get(path)).status, path).toBe(200);
    await intruder.alter(record.luid, alteration, 'slyer');
    const again = [...paths.filter((path) => path.includes('/changes')), ...lists];
    for (const path of again) expectRefused(await client.get(path));
  });
});

describe('what the ledger adds to data', () => {
  it('is told from what was altered', async () => {
    const client = await newLedger(url());
    await stored(client, 'domain', { handle: 'up' });
    const body = signed({ handle: 'down' }, client.key, { status: 'created', domain: 'up' });
    const made = ok(await client.call('POST', '/domains', body)).body;
    await intruder.forgetCode(made.luid);
    const other = atOther(client);
    expect((await other.get('/domains/down')).body).toEqual(made);
    await intruder.alterText(made.luid, 1, (text) => text.replace('"domain":"up"', '"domain":"out"'));
    expectRefused(await other.get('/domains/down/changes/1'));
  });
});
