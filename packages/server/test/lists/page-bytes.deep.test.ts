import { randomBytes } from 'node:crypto';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import { stateLimits } from '../../src/ledgers/state-limits.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { queryLimits } from '../../src/store/queries/query-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestAnswer, TestClient, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

/** Characters of the text in the records made here: eight of them are less than a page, and nine are more. */
const LARGE = 1_000_000;

/** What no compression makes small, made of characters that are one byte each. */
function noise(length: number): string {
  return randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
}

const TEXT = noise(LARGE);

/** The limit that the refusal of a page names. */
function named(answer: TestAnswer, client: TestClient): number {
  expectRefusal(answer, client, 'api.query-malformed', /page\.limit=\d+/);
  return Number(/page\.limit=(\d+)/.exec(answer.body.data.detail)?.[1]);
}

/** What the list holds, page by page with that limit: each page is full but for the last. */
async function everything(client: TestClient, path: string, limit: number): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let index = 0; ; index += 1) {
    const { data } = ok(await client.get(`${path}page.limit=${limit}&page.index=${index}`)).body;
    found.push(...data);
    if (data.length < limit) return found;
  }
}

describe('a page holds so many bytes at most', () => {
  const RECORDS = 12;
  let client: TestClient;
  let first: RecordEnvelope;

  beforeAll(async () => {
    client = await newLedger(server.current.url);
    for (let index = 0; index < RECORDS; index += 1) {
      const wallet = await stored(client, 'wallet', { handle: `w-${index}`, custom: { text: TEXT, index } });
      if (index === 0) first = wallet;
    }
    let current = first;
    for (let index = 0; index < RECORDS; index += 1) {
      const data = { handle: 'w-0', custom: { text: TEXT, version: index } };
      current = ok(await client.call('PUT', '/wallets/w-0', updateOf(current, data, client.key))).body;
    }
  }, 120_000);

  /** A ledger with rules that judge every record by itself: lists then go another way. */
  async function judged(): Promise<TestClient> {
    const key = newKey();
    const rules = [
      { action: 'any', record: 'ledger' },
      { action: 'create', record: 'any' },
    ];
    const strict = await newLedger(server.current.url, { key, access: rules });
    for (let index = 0; index < 10; index += 1) {
      const access = [{ action: 'read' }];
      await stored(strict, 'wallet', { handle: `w-${index}`, custom: { text: TEXT, index }, access });
    }
    return strict;
  }

  it.each([
    ['lists', '/wallets?', RECORDS],
    ['lists by a filter', '/wallets?data.custom.index.$gte=0&', RECORDS - 1],
    ['histories', '/wallets/w-0/changes?', RECORDS + 1],
  ])('of %s: more is refused, and the refusal names a limit that fits', async (_, path, count) => {
    const limit = named(await client.get(`${path}page.limit=1000`), client);
    expect(limit).toBeGreaterThan(1);
    const found = await everything(client, path, limit);
    expect(new Set(found.map(({ hash, luid }) => `${hash} ${luid}`)).size).toBe(count);
  });

  it('of lists in which each record is judged by itself', async () => {
    const strict = await judged();
    const limit = named(await strict.get('/wallets?page.limit=100'), strict);
    expect(await everything(strict, '/wallets?', limit)).toHaveLength(10);
  }, 60_000);

  it(`as many bytes as ${queryLimits.answers.page}, and not one more`, async () => {
    const exact = await newLedger(server.current.url);
    const sizes: number[] = [];
    const make = async (index: number, characters: number) => {
      const custom = { text: TEXT.slice(0, characters) };
      const answer = ok(await exact.create('/wallets', { handle: `e-${index}`, custom }));
      sizes.push(Buffer.byteLength(answer.text));
    };
    for (let index = 0; index < 8; index += 1) await make(index, 930_000);
    // A record is its text and always as much around it, as long as the handle is.
    const around = (sizes[0] ?? 0) - 930_000;
    const left = queryLimits.answers.page - sizes.reduce((sum, size) => sum + size, 0) - around;
    await make(8, left);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(queryLimits.answers.page);
    expect(ok(await exact.get('/wallets?page.limit=9')).body.data).toHaveLength(9);
    const { body: last } = await exact.get('/wallets/e-8');
    const others = queryLimits.answers.page - (sizes[8] ?? 0);
    // What an update has around its text is seen by one that still fits.
    const updated = async (record: RecordEnvelope, characters: number) => {
      const data = { handle: 'e-8', custom: { text: TEXT.slice(0, characters) } };
      const answer = ok(await exact.call('PUT', '/wallets/e-8', updateOf(record, data, exact.key)));
      return { record: answer.body as RecordEnvelope, size: Buffer.byteLength(answer.text) };
    };
    const fitting = await updated(last, left - 1_000);
    const more = queryLimits.answers.page - others - fitting.size;
    const full = await updated(fitting.record, left - 1_000 + more);
    expect(full.size + others).toBe(queryLimits.answers.page);
    expect(ok(await exact.get('/wallets?page.limit=9')).body.data).toHaveLength(9);
    expect((await updated(full.record, left - 999 + more)).size + others).toBe(queryLimits.answers.page + 1);
    named(await exact.get('/wallets?page.limit=9'), exact);
    expect(ok(await exact.get('/wallets?page.limit=8')).body.data).toHaveLength(8);
  }, 60_000);

  it('of the ledgers of an owner', async () => {
    const key = newKey();
    for (let index = 0; index < 9; index += 1) {
      const owned = await newLedger(server.current.url, { key });
      const { body: record } = await owned.get('/ledger');
      const { parent: _, config: __, ...data } = record.data;
      ok(await owned.call('PUT', '/ledger', updateOf(record, { ...data, custom: { text: TEXT } }, key)));
    }
    const owner = new TestClient(server.current.url, key);
    const list = (limit: number) => owner.get(`/ledgers?page.limit=${limit}`, bearer(key));
    const refused = await list(100);
    expect(refused.status).toBe(400);
    const limit = Number(/page\.limit=(\d+)/.exec(refused.body.data.detail)?.[1]);
    expect(ok(await list(limit)).body.data).toHaveLength(limit);
  }, 60_000);

  it('a page of one record is served, however long it has become', async () => {
    const path = '/wallets/w-1';
    let record: RecordEnvelope = ok(await client.get(path)).body;
    const note = TEXT.slice(0, 1_000_000);
    const proof = async (characters: number) => client.prove(path, record, { note: note.slice(0, characters) });
    for (let times = 0; times < 3; times += 1) record = ok(await proof(1_000_000)).body;
    // Each proof is its note and as much around it as any other.
    const now = Buffer.byteLength(JSON.stringify(record));
    const grown = ok(await proof(1)).body;
    const around = Buffer.byteLength(JSON.stringify(grown)) - now - 1;
    const left = recordLimits.bytes - Buffer.byteLength(JSON.stringify(grown)) - around;
    expect(left).toBeLessThan(1_000_000);
    record = grown;
    expectRefusal(
      await proof(left + 1),
      client,
      'record.invalid',
      `A record may hold ${recordLimits.bytes} bytes with its proofs`,
    );
    const full = ok(await proof(left));
    expect(Buffer.byteLength(full.text)).toBe(recordLimits.bytes);
    const list = ok(await client.get('/wallets?data.handle=w-1&page.limit=1'));
    expect(list.body.data[0].luid).toBe(record.luid);
    // And it can still go.
    expect((await client.drop(path, full.body)).status).toBe(204);
  }, 60_000);

  it('of records that are read at the same time: each query fetches as much, and each read is answered', async () => {
    const { body } = ok(await client.get('/wallets?page.limit=2'));
    const answers = await watched(async () => {
      const reads = Array.from({ length: RECORDS - 2 }, (_, index) => client.get(`/wallets/w-${index + 2}`));
      return Promise.all([...reads, ...body.data.map(({ luid }: RecordEnvelope) => client.get(`/wallets/${luid}`))]);
    });
    for (const answer of answers.result) expect(ok(answer).body.data.custom.text).toBe(TEXT);
    expect(Math.max(...answers.bytes)).toBeGreaterThan(LARGE);
    expect(Math.max(...answers.bytes)).toBeLessThanOrEqual(queryLimits.answers.page);
  }, 60_000);

  it('of signers that are looked up at the same time', async () => {
    const signers = Array.from({ length: 10 }, (_, index) => ({ key: newKey(), handle: `s-${index}` }));
    for (const { key, handle } of signers) {
      await stored(client, 'signer', { handle, format: 'ed25519-raw', public: key.public, custom: { text: TEXT } });
    }
    // No process knows these signers yet but one: their keys are asked for again after a new version of the ledger.
    const policy = { handle: 'p', schema: 'access', record: 'any', values: [{ action: 'read' }] };
    await stored(client, 'policy', policy);
    const { result, bytes } = await watched(() =>
      Promise.all(signers.map(({ key, handle }) => client.as(key).create('/wallets', { handle: `of-${handle}` }))),
    );
    result.forEach((answer, index) => {
      expect(ok(answer).body.meta.proofs[0].signer).toBe(`s-${index}`);
    });
    expect(Math.max(...bytes)).toBeLessThanOrEqual(queryLimits.answers.page);
  }, 60_000);
});

describe('an access check', () => {
  it(`shows ${accessLimits.grants} rules, and is refused for one more`, async () => {
    const client = await newLedger(server.current.url);
    // One is that of the ledger.
    const rules = Array.from({ length: accessLimits.grants - 1 }, () => ({ action: 'read' }));
    const wallet = await stored(client, 'wallet', { handle: 'w', access: rules });
    const check = () => client.create('/wallets/w/access/!check', { action: 'read' });
    expect(ok(await check()).body.data).toHaveLength(accessLimits.grants);
    const data = { handle: 'w', access: [...rules, { action: 'read' }] };
    ok(await client.call('PUT', '/wallets/w', updateOf(wallet, data, client.key)));
    expectRefusal(await check(), client, 'record.invalid', `More than ${accessLimits.grants} rules grant this`);
  });
});

describe('what a ledger is judged by', () => {
  it('does not grow by proofs without end either', async () => {
    const client = await newLedger(server.current.url);
    const refused: string[] = [];
    for (let policy = 0; policy < 3 && refused.length === 0; policy += 1) {
      const handle = `p-${policy}`;
      const made = await stored(client, 'policy', { handle, schema: 'access', record: 'any', values: [] });
      for (let proof = 0; proof < 4 && refused.length === 0; proof += 1) {
        const answer = await client.prove(`/policies/${handle}`, made, { note: TEXT, policy, proof });
        if (answer.status !== 200) refused.push(answer.body.data.detail);
      }
    }
    expect(refused).toEqual([
      `Policies, domains, schemas and effects of a ledger may hold ${stateLimits.characters} characters together`,
    ]);
  }, 60_000);
});

/** Runs `work`, and tells how many bytes of records each query has fetched meanwhile. */
async function watched<T>(work: () => Promise<T>): Promise<{ result: T; bytes: number[] }> {
  const { query } = pg.Pool.prototype;
  const bytes: number[] = [];
  pg.Pool.prototype.query = async function watching(this: pg.Pool, ...parameters: never[]) {
    const found = await (query as (...all: unknown[]) => Promise<pg.QueryResult>).apply(this, parameters);
    bytes.push(found.rows.reduce((sum, { body }) => sum + (typeof body === 'string' ? Buffer.byteLength(body) : 0), 0));
    return found;
  } as unknown as typeof query;
  const result = await work().finally(() => {
    pg.Pool.prototype.query = query;
  });
  return { result, bytes };
}
