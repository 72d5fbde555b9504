import { Writable } from 'node:stream';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { newLedger, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { make, ok, requestsOn, setScene, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { atSecond, EFFORTS, expectRefused, Intruder } from './altered-rows.js';

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

const atOther = (client: TestClient) => atSecond(servers.current, client);

async function alarms(): Promise<number> {
  const counts = await Promise.all(
    servers.current.map(async ({ server }) => {
      const { values } = await server.metrics.registry.getSingleMetric('countersign_corrupt_versions_total')!.get();
      return values[0]!.value;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
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

describe.each(kinds.map(({ name }) => name))('a %s', (name) => {
  it('of a release that made no codes is believed for its hash and proof, and no more once it is altered', async () => {
    const scene = await setScene(url(), name, { shape: 'full' });
    const record = await make(scene);
    await intruder.forgetCode(record.luid);
    const client = atOther(scene.client);
    const paths = requestsOn(scene, record).flatMap(({ method, path }) => (method === 'GET' ? [path] : []));
    const lists = name === 'ledger' ? [] : [scene.collection];
    for (const path of [...paths, ...lists]) expect((await client.get(path)).status, path).toBe(200);
    await intruder.alter(record.luid, alteration, 'slyer', await intruder.newest(record.luid));
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
