import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { TestClient } from '../support/client.js';
import { miscounted } from '../support/counted.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { collectionOf, ok, pathOf } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { dumpSchema } from './dump.js';
import { FOUNDER, LEDGER } from './populate.js';
import { stateOfThisRelease } from './state.js';

const folder = fileURLToPath(new URL('./releases/', import.meta.url));
const schema = new URL('./schema.sql', import.meta.url);

/** A version as the earlier release has stored it. */
interface Kept {
  readonly kind: KindName;
  readonly luid: string;
  readonly change: number;
  readonly action: string;
  readonly body: string;
}

/** The next releases are upgraded from this one: its state is made here, and kept as a file when it is released. */
const THIS = process.env.KEEP_RELEASE ? `${process.env.KEEP_RELEASE}.sql` : 'this one';

async function stateOf(file: string): Promise<string> {
  if (file !== THIS) return readFileSync(`${folder}${file}`, 'utf8');
  const state = await stateOfThisRelease();
  if (process.env.KEEP_RELEASE) writeFileSync(`${folder}${file}`, state);
  return state;
}

describe.each([...new Set([...readdirSync(folder), THIS])])('a database of release %s', (file) => {
  let database: TestDatabase;
  let direct: pg.Client;
  let running: RunningServer;
  let client: TestClient;
  let kept: Kept[];

  beforeAll(async () => {
    database = await createDatabase();
    direct = new pg.Client({ connectionString: database.url });
    await direct.connect();
    await direct.query(await stateOf(file));
    // The texts as they are served: earlier releases keep all of them whole.
    const { rows } = await direct.query(`select coalesce(to_regclass('version'), 'change') as source`);
    const versions = await direct.query(
      `select kind, luid, change, action, body from ${rows[0].source} order by luid, change`,
    );
    kept = versions.rows;
    await direct.query('analyze');
    running = await startServer({ database });
    client = new TestClient(running.url, FOUNDER, LEDGER);
  });
  afterAll(async () => {
    await running?.stop();
    await direct?.end();
    await database?.drop();
  });

  it('keeps no samples of texts, hashes and codes, which would outlive an erasure', async () => {
    const { rows } = await direct.query(
      `select tablename, attname from pg_stats where schemaname = 'public'
         and ((tablename, attname) in (('change', 'body'), ('change', 'hash'), ('change', 'mac'), ('delivery', 'event'))
           or tablename = 'record' and attname in ('hash', 'judged', 'document'))`,
    );
    expect(rows).toEqual([]);
  });

  it('is counted for quotas with all its rows', async () => {
    const { rows } = await direct.query('select sum(bytes)::int as bytes from storage');
    expect(rows[0].bytes).toBeGreaterThan(0);
    expect(await miscounted(database.url)).toEqual([]);
  });

  const versionsOf = (luid: string) => kept.filter((version) => version.luid === luid);
  const current = () =>
    kept.filter(({ luid, change, action }) => action !== 'drop' && change === versionsOf(luid).length);
  const recordOf = ({ body }: Kept) => JSON.parse(body) as RecordEnvelope;
  const pathOfKept = (version: Kept) =>
    version.kind === 'ledger' ? '/ledger' : pathOf(kindNamed(version.kind), recordOf(version).data as JsonObject);
  const named = (handle: string) => kept.filter((version) => recordOf(version).data.handle === handle);

  /** The body that made the record: the proofs of the ledger are not the client's. */
  const sentFor = (version: Kept) => {
    const { hash, data, meta } = recordOf(version);
    const proofs = meta.proofs.filter((proof) => proof.public === FOUNDER.public);
    return {
      hash,
      data,
      meta: {
        proofs: proofs.map(({ method, public: key, digest, result, custom }) => ({
          method,
          public: key,
          digest,
          result,
          custom,
        })),
      },
    };
  };

  it('has the schema of a new one', async () => {
    expect(await dumpSchema(direct)).toBe(readFileSync(schema, 'utf8'));
  });

  it('serves every record byte for byte, and its history', async () => {
    expect(new Set(kept.map(({ kind }) => kind))).toEqual(new Set(kinds.map(({ name }) => name)));
    for (const version of current()) {
      const path = pathOfKept(version);
      expect(ok(await client.get(path)).text, path).toBe(version.body);
      if (!kindNamed(version.kind).lifecycle.operations.includes('changes')) continue;
      const { data, page } = ok(await client.get(`${path}/changes`)).body;
      expect(page.total, path).toBe(versionsOf(version.luid).length);
      expect(data.map(({ luid }: RecordEnvelope) => luid)).toEqual(data.map(() => version.luid));
    }
  });

  it('lists the records of every kind', async () => {
    for (const name of new Set(current().map(({ kind }) => kind))) {
      if (name === 'ledger') continue;
      const all = current()
        .filter(({ kind }) => kind === name)
        .map(recordOf);
      for (const collection of new Set(all.map(({ data }) => collectionOf(kindNamed(name), data as JsonObject)))) {
        const listed = ok(await client.get(`${collection}?page.limit=100`)).body.data;
        const expected = all.filter(({ data }) => collectionOf(kindNamed(name), data as JsonObject) === collection);
        const byLuid = (one: RecordEnvelope, other: RecordEnvelope) => (one.luid < other.luid ? -1 : 1);
        expect(listed.sort(byLuid), collection).toEqual(expected.sort(byLuid));
      }
    }
  });

  it('finds records by filters', async () => {
    const handles = async (path: string) =>
      ok(await client.get(path)).body.data.map(({ data }: RecordEnvelope) => data.handle);
    expect(await handles('/wallets?data.custom.tier=2')).toEqual(['changed']);
    expect(await handles('/wallets?meta.status=active')).toEqual(['changed']);
    expect(await handles('/intents?data.claims.0.target.handle=alice')).toEqual(['intent-1']);
    const members = ok(await client.get('/circles/circle-signer-1-circle/signers?data.signer=circle-signer-1'));
    expect(members.body.data).toHaveLength(1);
  });

  it('knows a key by its signer, and opens what was sealed', async () => {
    const read = await client.get('/wallets/changed', bearer(FOUNDER, { sub: 'signer:founder' }));
    expect(ok(read).body.data.custom).toEqual({ tier: 2 });
    const made = ok(await client.create('/wallets', { handle: 'new' })).body;
    expect(made.meta.proofs.map(({ signer }: JsonObject) => signer)).toEqual(['founder', 'system']);
    const own = recordOf(named('system').find(({ kind }) => kind === 'signer')!);
    expect(made.meta.proofs[1].public).toBe(own.data.public);
  });

  it('answers a create that is sent again, and makes nothing again that was dropped', async () => {
    const [first] = named('anchor-1');
    const again = await client.call('POST', '/anchors', sentFor(first!));
    expect(again.status, again.text).toBe(200);
    expect(again.text).toBe(first!.body);
    const [gone] = named('gone');
    const replayed = await client.call('POST', '/wallets', sentFor(gone!));
    expect(replayed.status, replayed.text).toBeGreaterThanOrEqual(400);
    expect((await client.get('/wallets/gone')).status).toBe(404);
    expect(ok(await client.get(`/wallets/${gone!.luid}/changes`)).body.page.total).toBe(2);
  });

  it('takes updates, proofs and drops of its records', async () => {
    const wallet = recordOf(named('changed').at(-1)!);
    const updated = ok(
      await client.update('/wallets/changed', wallet, { handle: 'changed', custom: { tier: 4 } }),
    ).body;
    expect(updated.luid).toBe(wallet.luid);
    ok(await client.prove('/wallets/changed', updated, { status: 'closed' }));
    ok(await client.drop('/wallets/changed', updated));
    expect(ok(await client.get(`/wallets/${wallet.luid}/changes`)).body.page.total).toBe(6);
  });
});
