import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { storeSettlement } from '../../src/store/committer/batch.js';
import type { BalanceWrite, LimitWrite, OpenIntentWrite, Settlement } from '../../src/store/committer/settlement.js';
import type { Write } from '../../src/store/committer/write.js';
import { migrate } from '../../src/store/migrate.js';
import { createLeaders } from '../../src/store/money/leaders.js';
import { createPool } from '../../src/store/pool.js';
import { writeOf } from '../store/write.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

const MOMENT = '2030-01-02T03:04:05.006Z';
const TABLES = ['record', 'change', 'balance', 'entry', 'wallet_limit', 'open_intent'];

let database: TestDatabase;
let pool: pg.Pool;
let ledger: number;
let made = 0;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.url }, () => {});
  await migrate(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

beforeEach(async () => {
  made += 1;
  const { rows } = await pool.query(
    `insert into ledger (handle, luid, owners) values ($1, '$ldg.' || $1, '{}') returning id`,
    [`l${made}`],
  );
  ledger = rows[0].id;
  await createLeaders(pool, 'me').acquire(ledger, 60_000);
  // What the ledger has: a symbol, an intent under way, a wallet, a balance of it, and a daily limit on it.
  await done({ writes: [write('symbol', 'usd')] });
  await done({
    writes: [intent('open'), write('wallet', 'w')],
    balances: [balance({ was: 0, version: 1 })],
    entries: [entry(1)],
    limits: [limit({ was: 0, version: 1 })],
    opened: [open({ was: 0 })],
  });
});

function write(kind: Write['kind'], name: string, more: Partial<Write> = {}): Write {
  return writeOf(0, { ledger, kind, key: name, luid: `${name}-${made}`, ...more });
}

const intent = (name: string, more: Partial<Write> = {}) => write('intent', name, more);

function balance(more: Partial<BalanceWrite>): BalanceWrite {
  const available = { amount: 5, luid: 'b', moment: MOMENT, isChanged: false };
  return { wallet: 'w', symbol: 'usd', was: 1, version: 2, available, ...more };
}

const entry = (version: number, wallet = 'w'): Settlement['entries'][number] => {
  const by = { availableBy: 5, reservedBy: 0, available: 5 };
  return { wallet, symbol: 'usd', version, intent: 'i', change: 1, ...by, moment: MOMENT };
};

function limit(more: Partial<LimitWrite>): LimitWrite {
  return {
    wallet: 'w',
    symbol: 'usd',
    metric: 'dailyCount',
    luid: 'limit',
    was: 1,
    version: 2,
    amount: 1,
    used: 0,
    body: '{}',
    ...more,
  };
}

function open(more: Partial<OpenIntentWrite>): OpenIntentWrite {
  const rest = { thread: 't', stage: 'waiting', uses: [], state: '{}', mac: 'm' };
  return { luid: `open-${made}`, was: 1, ...rest, ...more };
}

function store(more: Partial<Settlement>) {
  const leader = { holder: 'me', lease: 60_000, moment: MOMENT };
  const rows = { balances: [], entries: [], limits: [], opened: [], closed: [] };
  const nothing = { ...rows, writes: [], needs: [], calls: [], moment: MOMENT };
  return storeSettlement(pool, { ledger, leader, ...nothing, ...more });
}

async function done(more: Partial<Settlement>): Promise<void> {
  const settled = await store(more);
  expect(settled).toMatchObject({ isStored: true, isLeader: true });
  expect(settled.outcomes.every(({ result }) => result === 'done')).toBe(true);
}

async function seen(): Promise<string> {
  const tables = await Promise.all(
    TABLES.map(
      async (table) =>
        (await pool.query(`select * from ${table} t where ledger_id = $1 order by t::text`, [ledger])).rows,
    ),
  );
  return JSON.stringify(tables);
}

/** A batch of a new intent with something that is not as it was decided on: nothing of it is stored. */
async function refused(more: Partial<Settlement>) {
  const before = await seen();
  const settled = await store({ writes: [intent('new')], ...more });
  expect(settled.isStored).toBe(false);
  expect(await seen()).toBe(before);
  return settled;
}

/** Milliseconds within which what does not wait for a lock is done. */
const PROMPTLY = 10_000;

/** Runs `work` while another transaction has changed the balance, until it ends or calls `release`. */
async function whileHeld<T>(work: (release: () => Promise<unknown>) => Promise<T>): Promise<T> {
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query('update balance set version = 7 where ledger_id = $1', [ledger]);
    const late = pause(PROMPTLY, undefined, { ref: false }).then(() => {
      throw new Error('It waits for the balance.');
    });
    return await Promise.race([work(() => other.query('commit')), late]);
  } finally {
    await other.query('rollback');
    other.release();
  }
}

describe('decisions on intents are stored where they rest on what is still so', () => {
  it('all of them', async () => {
    await done({
      writes: [intent('new'), intent('open', { action: 'update', change: 2 })],
      needs: [{ kind: 'wallet', handle: 'w', luid: `w-${made}`, change: 1 }],
      balances: [
        balance({}),
        balance({ wallet: 'x', was: 0, version: 1 }),
        balance({ wallet: 'y', was: 0, version: 0 }),
      ],
      entries: [entry(2), entry(1, 'x')],
      limits: [limit({}), limit({ metric: 'dailyAmount', was: 0, version: 0 })],
      opened: [open({})],
    });
    const { rows } = await pool.query('select wallet, version from balance where ledger_id = $1 order by wallet', [
      ledger,
    ]);
    expect(rows).toEqual([
      { wallet: 'w', version: 2 },
      { wallet: 'x', version: 1 },
    ]);
  });

  it('not on a balance that has changed, be it only read', async () => {
    for (const [was, version] of [
      [2, 3],
      [2, 2],
      [7, 7],
    ]) {
      const settled = await refused({ balances: [balance({ was: was!, version: version! })] });
      expect(settled).toMatchObject({ outcomes: [{ result: 'blocked' }] });
    }
  });

  it('not on a balance that changes while its update waits', async () => {
    const settled = await whileHeld(async (release) => {
      const waiting = store({ writes: [intent('new')], balances: [balance({})], entries: [entry(2)] });
      await vi.waitFor(async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(1);
      });
      await release();
      return waiting;
    });
    expect(settled).toMatchObject({ isStored: false, outcomes: [{ result: 'blocked' }] });
    const { rows } = await pool.query(
      `select b.version, (select count(*)::int from entry where ledger_id = $1) as entries,
         exists (select from record where ledger_id = $1 and handle = 'new') as made
       from balance b where ledger_id = $1`,
      [ledger],
    );
    expect(rows).toEqual([{ version: 7, entries: 1, made: false }]);
  });

  it('by the leader alone: another process waits for no balance', async () => {
    const leader = { holder: 'other', lease: 1, moment: MOMENT };
    for (const version of [1, 2]) {
      const settled = await whileHeld(() => store({ leader, balances: [balance({ version })] }));
      expect(settled).toMatchObject({ isStored: false, isLeader: false });
    }
  });

  it('not on there being no balance, where there is one', async () => {
    expect(await refused({ balances: [balance({ was: 0, version: 1 })] })).toMatchObject({
      isLeader: true,
      outcomes: [{ result: 'blocked' }],
    });
    expect(await refused({ balances: [balance({ was: 0, version: 0 })] })).toMatchObject({
      isLeader: true,
      outcomes: [{ result: 'blocked' }],
    });
  });

  it('not on a limit that has changed, or was set', async () => {
    for (const [was, version] of [
      [2, 3],
      [2, 2],
      [0, 0],
      [0, 1],
    ]) {
      const settled = await refused({ limits: [limit({ was: was!, version: version! })] });
      expect(settled).toMatchObject({ isLeader: true, outcomes: [{ result: 'blocked' }] });
    }
  });

  it('not on a limit of a symbol that was dropped since, nor on one that was made anew with the same version', async () => {
    await pool.query("delete from record where ledger_id = $1 and kind = 'symbol'", [ledger]);
    expect(await refused({ limits: [limit({ version: 1 })] })).toMatchObject({
      isLeader: true,
      outcomes: [{ result: 'blocked' }],
    });
    await done({ writes: [write('symbol', 'usd', { luid: `anew-${made}` })] });
    expect(await refused({ limits: [limit({ version: 1 })] })).toMatchObject({
      isLeader: true,
      outcomes: [{ result: 'blocked' }],
    });
    // The new one has none yet, whatever the old one had.
    await done({ limits: [limit({ luid: 'anew', was: 0, version: 1 })] });
    for (const version of [1, 2])
      expect(await refused({ limits: [limit({ version })] })).toMatchObject({
        isLeader: true,
        outcomes: [{ result: 'blocked' }],
      });
    await done({ limits: [limit({ luid: 'anew' })] });
    const { rows } = await pool.query('select luid, version from wallet_limit where ledger_id = $1 order by luid', [
      ledger,
    ]);
    expect(rows).toEqual([
      { luid: 'anew', version: 2 },
      { luid: 'limit', version: 1 },
    ]);
  });

  it('not by a process that is not the leader any more', async () => {
    expect(await refused({ leader: { holder: 'other', lease: 1, moment: MOMENT } })).toMatchObject({ isLeader: false });
    const { rows } = await pool.query('select holder from home where ledger_id = $1', [ledger]);
    expect(rows).toEqual([{ holder: 'me' }]);
    // What is only accepted needs no leader.
    expect((await store({ writes: [intent('new')], leader: undefined })).isStored).toBe(true);
  });

  it('not on an intent under way that was decided on meanwhile', async () => {
    expect(await refused({ opened: [open({ was: 2 })] })).toMatchObject({
      isLeader: true,
      outcomes: [{ result: 'blocked' }],
    });
    const change = await refused({ writes: [intent('open', { action: 'update', change: 3 })] });
    expect(change.outcomes).toMatchObject([{ result: 'stale' }]);
  });

  it('not on a wallet that has another version, or is gone', async () => {
    const need = { kind: 'wallet', handle: 'w', luid: `w-${made}`, change: 1 } as const;
    for (const more of [{ change: 2 }, { luid: 'another' }, { handle: 'gone' }]) {
      const settled = await refused({ needs: [{ ...need, ...more }] });
      expect(settled.outcomes).toMatchObject([{ result: 'blocked' }]);
    }
  });

  it('not under a handle that is taken: that one is told so, its neighbours are not in the way', async () => {
    const settled = await refused({ writes: [intent('new'), intent('open', { luid: 'another' })] });
    expect(settled.outcomes.map(({ result }) => result)).toEqual(['blocked', 'duplicated']);
  });

  it('not one that stays open and is stored already, as one that the leader has stored and another process takes back', async () => {
    const again = intent('open', { moment: MOMENT });
    const settled = await refused({ writes: [intent('new'), again], opened: [open({ was: 0 })] });
    expect(settled).toMatchObject({ isLeader: true, outcomes: [{ result: 'blocked' }, { result: 'duplicated' }] });
  });

  it('not where two take one handle: nobody knows which is told so', async () => {
    const settled = await refused({ writes: [intent('new'), intent('new', { luid: 'another' })] });
    expect(settled.outcomes.map(({ result }) => result)).toEqual(['blocked', 'blocked']);
  });

  it('without a write, too', async () => {
    const before = await store({ opened: [open({ was: 1 })] });
    expect(before).toEqual({ isStored: true, isLeader: true, outcomes: [] });
    expect((await store({ opened: [open({ was: 1 })] })).isStored).toBe(false);
    expect((await store({ closed: [`open-${made}`] })).isStored).toBe(true);
    const { rows } = await pool.query('select from open_intent where ledger_id = $1', [ledger]);
    expect(rows).toEqual([]);
  });

  it('and what has become due meanwhile stays due', async () => {
    await pool.query("update open_intent set due = '2030-01-01' where ledger_id = $1", [ledger]);
    await done({ opened: [open({ was: 1 })] });
    const due = async () =>
      (await pool.query('select due from open_intent where ledger_id = $1', [ledger])).rows[0].due;
    expect(await due()).not.toBeNull();
    const { rows } = await pool.query('select due::text from open_intent where ledger_id = $1', [ledger]);
    await done({ opened: [open({ was: 2, wasDue: rows[0].due })] });
    expect(await due()).toBeNull();
  });
});

it('keeps statements apart that do nearly the same, on one connection', async () => {
  const one = await pool.connect();
  const leader = { holder: 'me', lease: 60_000, moment: MOMENT };
  const rows = { closed: [], needs: [], calls: [], moment: MOMENT };
  const storeWith = (round: number, opened: readonly OpenIntentWrite[]) => {
    const version = round;
    const writes = [
      intent(`new-${round}`, { version, wakes: true }),
      intent('open', { version, action: 'update', change: round + 1, bumpsRules: true }),
    ];
    const wallet = `x${round}`;
    const balances = [balance({ wallet, was: 0, version: 1 })];
    const limits = [limit({ was: round, version: round + 1 })];
    const entries = [entry(1, wallet)];
    return storeSettlement(one, { ledger, leader, ...rows, writes, balances, entries, limits, opened });
  };
  try {
    expect(await storeWith(1, [])).toMatchObject({ isStored: true });
    expect(await storeWith(2, [open({})])).toMatchObject({ isStored: true });
  } finally {
    one.release();
  }
});
