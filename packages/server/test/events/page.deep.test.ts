import { randomBytes } from 'node:crypto';
import { hash as hashOf } from '@countersign/protocol';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { queryLimits } from '../../src/store/queries/query-limits.js';
import { Intruder } from '../integrity/altered-rows.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { holdDeliveries, loadRows, query, setDelivery, subscribe } from './support.js';

const server = withOwnServer();
beforeAll(() => holdDeliveries(server.current));

/** Characters of a record: eight of them are less than a page, and nine are more. */
const LARGE = 1_000_000;
const TEXT = randomBytes(LARGE / 2).toString('hex');

/** A ledger with deliveries of so many wallets, with a text of that length, each attempted already. */
async function ledgerWith(count: number, characters: number, signal = 'wallet-created'): Promise<TestClient> {
  const client = await newLedger(server.current.url);
  await subscribe(client, 'hook', signal);
  for (let index = 0; index < count; index += 1) {
    await stored(client, 'wallet', { handle: `w-${index}`, custom: { text: TEXT.slice(0, characters) } });
  }
  for (const { handle } of await loadRows(server.current, client)) {
    await setDelivery(server.current, handle, { signed: new Date(), status: 'delivered', attempts: 1 });
  }
  return client;
}

const list = (client: TestClient, search = '') => client.get(`/effects/hook/events${search}`);

/** The limit that the refusal of a page names. */
function limitNamed(answer: TestAnswer, client: TestClient): number {
  expectRefusal(answer, client, 'api.query-malformed', /^Page 0 of \d+ holds \d+ bytes.* page\.limit=\d+/);
  return Number(/page\.limit=(\d+)/.exec(answer.body.data.detail)?.[1]);
}

describe('a page of deliveries', () => {
  it('holds so many bytes at most: more is refused, and the refusal names a limit that fits', async () => {
    const client = await ledgerWith(12, LARGE);
    const limit = limitNamed(await list(client, '?page.limit=12'), client);
    expect(limit).toBeGreaterThan(1);
    const found: string[] = [];
    for (let index = 0; index * limit < 12; index += 1) {
      const { data, hash } = ok(await list(client, `?page.limit=${limit}&page.index=${index}`)).body;
      expect(hash).toBe(hashOf(data, native));
      for (const { meta } of data) {
        expect(meta.output.hash).toBe(hashOf(meta.output.data, native));
        found.push(meta.output.data.wallet.data.handle);
      }
    }
    expect(found).toEqual(Array.from({ length: 12 }, (_, index) => `w-${11 - index}`));
    const [first] = await loadRows(server.current, client);
    expect(ok(await client.get(`/effects/hook/events/${first!.handle}`)).text.length).toBeGreaterThan(LARGE);
  }, 120_000);

  it(`holds ${queryLimits.answers.page} bytes, and not one more`, async () => {
    const client = await ledgerWith(8, LARGE);
    const rows = await query<{ size: string }>(
      server.current,
      `select sum(octet_length(c.body)) as size from change c join ledger l on l.id = c.ledger_id
       where l.handle = $1 and c.kind = 'wallet'`,
      [client.ledger],
    );
    const [row] = await loadRows(server.current, client);
    // Proofs count like the versions that events are made of.
    const left = queryLimits.answers.page - Number(rows[0]!.size);
    const proofs = (bytes: number) => `{"custom":{"note":"${'x'.repeat(bytes - '{"custom":{"note":""}}'.length)}"}}`;
    await setDelivery(server.current, row!.handle, { proofs: proofs(left) });
    const full = ok(await list(client, '?page.limit=8')).body.data;
    expect(full.at(-1).meta.proofs[0].custom.note).toHaveLength(left - '{"custom":{"note":""}}'.length);
    await setDelivery(server.current, row!.handle, { proofs: proofs(left + 1) });
    expect(limitNamed(await list(client, '?page.limit=8'), client)).toBeLessThan(8);
    expect(ok(await list(client, '?page.limit=7')).body.data).toHaveLength(7);
  }, 120_000);

  it('of one delivery is served, however long it is', async () => {
    const client = await ledgerWith(1, LARGE, 'wallet-updated');
    let record = ok(await client.get('/wallets/w-0')).body;
    for (let times = 0; times < 3; times += 1) {
      record = ok(await client.prove('/wallets/w-0', record, { note: TEXT.slice(0, LARGE - 1_000), times })).body;
    }
    ok(await client.update('/wallets/w-0', record, { handle: 'w-0', custom: { n: 1 } }));
    const [row] = await loadRows(server.current, client);
    const proofs = `{"custom":{"note":"${'x'.repeat(queryLimits.answers.page)}"}}`;
    await setDelivery(server.current, row!.handle, { signed: new Date(), attempts: 1, proofs });
    const [delivery] = ok(await list(client)).body.data;
    expect(delivery.meta.output.data.parent).toEqual(record);
    expect(delivery.meta.proofs[0].custom.note).toHaveLength(queryLimits.answers.page);
  }, 120_000);

  it('takes as many queries for many deliveries as for one, and reads a version once', async () => {
    const client = await ledgerWith(30, 10);
    const counted = async (search: string) => {
      const { query: run } = pg.Pool.prototype;
      const asked: unknown[] = [];
      pg.Pool.prototype.query = function counting(this: pg.Pool, ...parameters: never[]) {
        asked.push(parameters[0]);
        return (run as (...all: unknown[]) => Promise<unknown>).apply(this, parameters);
      } as unknown as typeof run;
      await list(client, search)
        .then(ok)
        .finally(() => {
          pg.Pool.prototype.query = run;
        });
      return asked.filter((one) => /octet_length\((d\.proofs|c\.body)\)/.test(JSON.stringify(one))).length;
    };
    // The effect, the deliveries, and the versions of all their events.
    expect(await counted('?page.limit=1')).toBe(3);
    expect(await counted('?page.limit=30')).toBe(3);
  });
});

describe('what the database holds of deliveries', () => {
  let intruder: Intruder;
  beforeAll(async () => {
    intruder = await Intruder.at(server.current.database.url);
  });
  afterAll(() => intruder.leave());

  async function attempted(): Promise<{ client: TestClient; handle: string; intruder: Intruder; wallet: string }> {
    const client = await ledgerWith(1, 10);
    const [row] = await loadRows(server.current, client);
    const [delivery] = ok(await list(client)).body.data;
    return { client, handle: row!.handle, intruder, wallet: delivery.meta.output.data.wallet.luid };
  }

  async function expectRefused(client: TestClient, handle: string): Promise<void> {
    for (const path of ['/effects/hook/events', `/effects/hook/events/${handle}`]) {
      const answer = await client.get(path);
      expect(answer.status, answer.text).toBe(500);
      expect(answer.text).not.toContain('forged');
      expect(answer.body.data.reason).toBe('api.unexpected-error');
    }
  }

  it.each([
    ['the event', { event: '{"handle":"evt_00000000000000000","signal":"x","members":{"a":{"value":"forged"}}}' }],
    ['the name of the effect', { effect_handle: 'forged' }],
    ['the kind of record', { record: 'symbol' }],
    ['the handle of the record', { linked: 'forged' }],
    ['the bridge', { bridge: 'forged' }],
    ['the domain of the effect', { effect_domain: 'forged' }],
    ['the version of the effect', { effect_change: 2 }],
    ['its authentication code', { mac: 'forged' }],
    ['its authentication code taken away', { mac: null }],
    ['proofs that are none', { proofs: '{"forged"' }],
  ])('is checked before anything is signed: %s', async (_, columns) => {
    const { client, handle } = await attempted();
    await setDelivery(server.current, handle, columns);
    await expectRefused(client, handle);
  });

  it('is checked, and so are the versions that events are made of', async () => {
    const { client, handle, intruder, wallet } = await attempted();
    await intruder.alterText(wallet, 1, (text) => text.replaceAll('w-0', 'forged'));
    await expectRefused(client, handle);
  });

  it('is checked, and a version that is gone is missed', async () => {
    const { client, handle, intruder, wallet } = await attempted();
    await intruder.run('delete from change where luid = $1', wallet);
    await expectRefused(client, handle);
  });

  it('of another ledger counts for nothing in this one', async () => {
    const { client, handle } = await attempted();
    const other = await attempted();
    await query(
      server.current,
      `update delivery d set event = o.event, mac = o.mac from delivery o where d.handle = $1 and o.handle = $2`,
      [handle, other.handle],
    );
    await expectRefused(client, handle);
  });
});
