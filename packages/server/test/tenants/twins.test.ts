import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createItems } from '../../src/integrity/items.js';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import type { Write } from '../../src/store/committer/write.js';
import { createPool } from '../../src/store/pool.js';
import type { PathFilter } from '../../src/store/queries/filter.js';
import { scope } from '../../src/store/queries/scope.js';
import { createStore, type Store } from '../../src/store/store.js';
import { UNCHECKED } from '../store/unchecked.js';
import { writeOf } from '../store/write.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

/**
 * Ledgers whose rows are alike to the last luid, as no two ledgers are, but for what their bodies say: whatever reaches
 * over from one to the other shows, also where luids alone would have kept them apart.
 */
const TWINS = ['one', 'two', 'three'] as const;

let database: TestDatabase;
let pool: pg.Pool;
let store: Store;
/** Ids of the twins, in their order. */
let ids: number[];

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.url }, () => {});
  store = createStore({ lists: pool, others: pool }, UNCHECKED);
  const { rows } = await pool.query(
    `insert into ledger (handle, luid, owners)
     select name, '$ldg.' || name, array['owner-of-' || name] from unnest($1::text[]) with ordinality as t(name, at)
     order by at returning id`,
    [TWINS],
  );
  ids = rows.map((row) => row.id);
  await pool.query(`insert into master_key (number, key_check) values (1, 'x')`);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The write of a record, alike in each ledger but for its body. */
function twin(at: number, kind: KindName, key: string, more: Partial<Write> = {}): Write {
  const { action = 'create', change = 1 } = more;
  return writeOf(0, {
    ...{ ledger: ids[at] as number, kind, key, luid: `$${kind}.${key}`, hash: `hash-of-${key}`, action, change },
    body: bodyOf(at, kind, key, change),
    document: documentOf(at, kind),
    ...more,
  });
}

/** What lists filter the record by. */
function documentOf(at: number, kind: KindName): string {
  return JSON.stringify({ [scope(ids[at] as number, kind)]: { 'data.custom.v': 'same' } });
}

/** What only the record of that ledger says. */
function bodyOf(at: number, kind: KindName, key: string, change = 1): string {
  return JSON.stringify({
    data: { handle: key, circle: `circle-of-${TWINS[at]}`, signer: 's' },
    meta: { of: TWINS[at], kind, change },
  });
}

async function done(write: Write): Promise<void> {
  expect((await store.commit(write)).result, `${write.action} ${write.key} in ${write.ledger}`).toBe('done');
}

/** In each ledger in turn. */
async function each(work: (at: number, ledger: number) => Promise<void>): Promise<void> {
  for (const [at, ledger] of ids.entries()) await work(at, ledger);
}

const value: PathFilter = { path: 'data.custom.v', operator: '$eq', values: ['same'] };

/** What looks sealed under the first master key: nothing here opens it. */
const sealedText = (text: string) => Buffer.from(`\u0001${text}`);

describe('of ledgers that are alike in everything, each', () => {
  it('has its own current records, by handle and luid, remembered or not', async () => {
    await each((at) => done(twin(at, 'wallet', 'read')));
    for (let times = 0; times < 2; times += 1) {
      await each(async (at, ledger) => {
        const body = bodyOf(at, 'wallet', 'read');
        for (const [id, by] of [
          ['read', 'handle'],
          ['$wallet.read', 'luid'],
        ] as const) {
          const { record } = await store.findVersion({ ledger, kind: 'wallet', id, by });
          expect(record?.body).toBe(body);
        }
      });
    }
  });

  it('has its own items of lists, remembered or not', async () => {
    const items = createItems(UNCHECKED.check);
    for (let times = 0; times < 2; times += 1) {
      for (const [at, id] of ids.entries()) {
        const body = bodyOf(at, 'wallet', 'item');
        const version = { luid: '$wallet.item', change: 1, action: 'create', mac: null, body } as const;
        expect((await items.of({ id }, kindNamed('wallet'), version)).text).toBe(body);
      }
    }
  });

  it('has its own lists, by whatever they are found', async () => {
    await each((at) => done(twin(at, 'symbol', 'listed', { status: 'open', domain: 'd' })));
    const filters: PathFilter[][] = [
      [],
      [value],
      [{ path: 'meta.status', operator: '$eq', values: ['open'] }],
      [{ path: 'meta.domain', operator: '$eq', values: ['d'] }],
      [{ path: 'data.handle', operator: '$eq', values: ['listed'], key: true }],
      [{ path: 'data.handle', operator: '$in', values: ['listed', 'other'], key: true }, value],
    ];
    for (const some of filters) {
      await each(async (at, ledger) => {
        const query = { ledger, kind: 'symbol', filters: some, limit: 10, offset: 0 } as const;
        const bodies = (await store.lists.page(query)).records.map(({ body }) => body);
        expect(bodies, JSON.stringify(some)).toEqual([bodyOf(at, 'symbol', 'listed')]);
        const indexed = (await store.lists.index(query)).records;
        expect(indexed.map(({ luid, key }) => [luid, key])).toEqual([['$symbol.listed', 'listed']]);
        const versions = await store.lists.bodies({ ledger, of: indexed, most: 0 });
        expect(versions.map(({ body }) => body)).toEqual([bodyOf(at, 'symbol', 'listed')]);
      });
    }
  });

  it('has its own history: pages, versions, what was dropped', async () => {
    await each(async (at) => {
      await done(twin(at, 'wallet', 'past'));
      // As many versions as its number, so that they are told apart by how many there are, too.
      for (let change = 2; change <= at + 2; change += 1)
        await done(twin(at, 'wallet', 'past', { action: 'update', change }));
    });
    await done(twin(1, 'wallet', 'past', { action: 'drop', change: 4 }));
    await each(async (at, ledger) => {
      const of = { ledger, kind: 'wallet', luid: '$wallet.past' } as const;
      const changes = at === 1 ? 4 : at + 2;
      const bodies = Array.from({ length: changes }, (_, index) => bodyOf(at, 'wallet', 'past', changes - index));
      const page = await store.lists.history(of, { index: 0, limit: 20, filters: [] });
      expect({ total: page.total, bodies: page.changes.map(({ body }) => body) }).toEqual({ total: changes, bodies });
      for (let change = 1; change <= 5; change += 1) {
        const one = await store.history.one(of, change);
        expect(one.change?.body).toBe(change <= changes ? bodyOf(at, 'wallet', 'past', change) : undefined);
      }
      expect((await store.history.latest(of))?.body).toBe(bodies[0]);
    });
  });

  it('has its own signers, factors and circles', async () => {
    await each(async (at) => {
      await done(twin(at, 'signer', 's', { link: 'key' }));
      await done(twin(at, 'signer-factor', 'f', { link: 'second-key' }));
      await done(twin(at, 'circle-signer', `circle-of-${TWINS[at]}/s`, { link: 's', luid: '$csg.same' }));
    });
    await done(twin(0, 'signer', 'alone', { link: 'key-of-one' }));
    await done(twin(0, 'signer-factor', 'alone', { link: 'second-key-of-one' }));
    await each(async (at, ledger) => {
      const found = { body: bodyOf(at, 'signer', 's'), circles: [`circle-of-${TWINS[at]}`] };
      expect(await store.signers({ ledger, key: 'key', by: 'public' })).toMatchObject(found);
      expect(await store.signers({ ledger, key: 's', by: 'handle' })).toMatchObject(found);
      const factor = bodyOf(at, 'signer-factor', 'f');
      expect(await store.signers({ ledger, key: 'second-key', by: 'public' })).toMatchObject({ ...found, factor });
      if (at === 0) return;
      for (const key of ['key-of-one', 'second-key-of-one']) {
        expect((await store.signers({ ledger, key, by: 'public' })).body).toBeUndefined();
      }
      expect((await store.signers({ ledger, key: 'alone', by: 'handle' })).body).toBeUndefined();
    });
  });

  it('has its own dependants, and its own secrets', async () => {
    const sealed = (at: number) => [{ name: 'password', sealed: sealedText(TWINS[at] as string) }];
    const keeping = (at: number) => twin(at, 'bridge', 'b', { secrets: sealed(at) });
    await each((at) => done(keeping(at)));
    for (const at of [0, 1]) await done(twin(at, 'wallet', 'w', { link: 'b' }));
    const secretsOf = (ledger: number) => store.secrets({ ledger, luid: '$bridge.b' });
    await each(async (at, ledger) => {
      expect(await secretsOf(ledger)).toEqual(sealed(at));
      const named = { ledger, kind: 'wallet', link: 'b' } as const;
      expect(await store.linked.first(named)).toBe(at === 2 ? undefined : bodyOf(at, 'wallet', 'w'));
      expect(await store.linked.keys({ ...named, limit: 10 })).toEqual(at === 2 ? [] : ['w']);
    });
    // Nothing depends on the third's, and it takes no secret but its own along.
    const dependants = [{ kind: 'wallet' as const, link: 'b' }];
    const drop = (at: number) => twin(at, 'bridge', 'b', { action: 'drop', change: 2, blockedBy: { dependants } });
    expect((await store.commit(drop(0))).result).toBe('stale');
    await done(drop(2));
    await each(async (at, ledger) => expect(await secretsOf(ledger)).toEqual(at === 2 ? [] : sealed(at)));
  });

  it('has its own memory of what proofs were used for', async () => {
    const [proof, unused] = [randomUUID(), randomUUID()];
    const proving = (at: number, key: string) => twin(at, 'effect', key, { proofs: [proof] });
    const usedIn = (at: number) => store.usedProofs({ ledger: ids[at] as number, proofs: [proof, unused], veiled: [] });
    for (const at of [0, 2]) await done(proving(at, `proven-${at}`));
    expect([await usedIn(0), await usedIn(1), await usedIn(2)]).toEqual([
      ['$effect.proven-0'],
      [],
      ['$effect.proven-2'],
    ]);
    expect((await store.commit(proving(0, 'another'))).result).toBe('reused');
    await done(proving(1, 'another'));
  });

  it('is what its writes change', async () => {
    const bodies = (key: string) =>
      pool
        .query('select ledger_id, change from record where luid = $1 order by ledger_id', [`$effect.${key}`])
        .then(({ rows }) => rows.map((row) => [row.ledger_id, row.change]));
    await each((at) => done(twin(at, 'effect', 'changed')));
    await done(twin(1, 'effect', 'changed', { action: 'update', change: 2 }));
    expect(await bodies('changed')).toEqual([
      [ids[0], 1],
      [ids[1], 2],
      [ids[2], 1],
    ]);
    await done(twin(0, 'effect', 'changed', { action: 'drop', change: 2 }));
    expect(await bodies('changed')).toEqual([
      [ids[1], 2],
      [ids[2], 1],
    ]);
  });

  it('is where what its writes need has to be', async () => {
    await done(twin(0, 'domain', 'needed'));
    const needing = (at: number) => twin(at, 'anchor', 'a', { mustExist: [{ kind: 'domain', handle: 'needed' }] });
    await done(needing(0));
    expect((await store.commit(needing(1))).result).toBe('stale');
  });

  it('is locked alone', async () => {
    await each((at) => done(twin(at, 'bridge', 'locked')));
    const other = await pool.connect();
    try {
      await other.query('begin');
      await other.query('select from record where ledger_id = $1 and luid = $2 for update', [ids[0], '$bridge.locked']);
      await other.query('select from ledger where id = $1 for update', [ids[0]]);
      // What waited for the first ledger's would have to wait for this test.
      const dependants = [{ kind: 'wallet' as const, link: 'locked' }];
      await done(
        twin(1, 'bridge', 'locked', { action: 'drop', change: 2, blockedBy: { dependants }, bumpsRules: true }),
      );
    } finally {
      await other.query('rollback');
      other.release();
    }
    await pool.query('update ledger set version = 1');
  });

  it('is loaded with its own records, schemas and keys', async () => {
    await each(async (at) => {
      for (const kind of ['ledger', 'policy'] as const) await done(twin(at, kind, 'own'));
      await done(twin(at, 'schema', 'own', { link: 'wallet', hash: `schema-of-${TWINS[at]}` }));
      for (const handle of ['system', 'system.auth']) {
        const secrets = [{ name: 'key', sealed: sealedText(`${handle} of ${TWINS[at]}`) }];
        await done(twin(at, 'signer', handle, { link: `${handle} key of ${TWINS[at]}`, secrets }));
      }
    });
    await each(async (at, id) => {
      const name = TWINS[at] as string;
      for (const of of [name, `$ldg.${name}`]) {
        const ledger = await store.ledgers.find(of);
        expect(ledger?.id).toBe(id);
        const bodies = ledger?.bodies.filter(({ luid }) => luid.endsWith('.own')).map(({ body }) => body);
        expect(bodies).toEqual([bodyOf(at, 'ledger', 'own'), bodyOf(at, 'policy', 'own')]);
        expect(ledger?.bodies.filter(({ body }) => JSON.parse(body).meta.of !== name)).toEqual([]);
        expect(ledger?.schemas.map(({ hash }) => hash)).toEqual([`schema-of-${name}`]);
        expect(ledger?.keys.map((key) => [key.handle, key.public, key.sealed])).toEqual(
          ['system', 'system.auth'].map((handle) => [
            handle,
            `${handle} key of ${name}`,
            sealedText(`${handle} of ${name}`),
          ]),
        );
      }
      const listed = await store.lists.ledgers({ owner: `owner-of-${name}`, filters: [], limit: 10, offset: 0 });
      expect(listed.map(({ ledger: of, body }) => [of, body])).toEqual([[id, bodyOf(at, 'ledger', 'own')]]);
    });
  });

  it('has a version of its own', async () => {
    const outcomes = await Promise.all([
      store.commit(twin(0, 'policy', 'deciding', { bumpsRules: true })),
      store.commit(twin(1, 'effect', 'deciding')),
      store.commit(twin(2, 'policy', 'deciding', { bumpsRules: true })),
    ]);
    expect(outcomes).toEqual([2, 1, 2].map((version) => ({ result: 'done', version })));
    expect(await Promise.all(ids.map((id) => store.ledgers.version(id)))).toEqual([2, 1, 2]);
  });
});
