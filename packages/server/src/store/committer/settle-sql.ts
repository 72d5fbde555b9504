import { isInForce } from '../money/limits-in-force.js';
import { formatUnnest } from '../queries/unnested.js';

/** Versions that are stored before the one of the write, in the same transaction. */
export const EARLIER = ['ord int', 'change int', 'action text', 'cut int', 'body text', 'mac text'];

/** Balances: the version that was read (`was`), and what they become. Where `version` equals `was` they were only read. */
export const BALANCES = [
  'wallet text',
  'symbol text',
  'was bigint',
  'version bigint',
  'available bigint',
  'available_luid text',
  'available_moment timestamptz',
  'available_changed boolean',
  'reserved bigint',
  'reserved_luid text',
  'reserved_moment timestamptz',
  'reserved_changed boolean',
];

/** Movements: rows of the table `entry`. */
export const ENTRIES = [
  'wallet text',
  'symbol text',
  'version bigint',
  'intent text',
  'change int',
  'available_by bigint',
  'reserved_by bigint',
  'available bigint',
  'reserved bigint',
  'moment timestamptz',
];

export const LIMITS = [
  'wallet text',
  'symbol text',
  'metric text',
  'luid text',
  'was bigint',
  'version bigint',
  'amount bigint',
  'day date',
  'used bigint',
  'body text',
];

/** Intents that stay open, as they are from now on. */
export const OPENED = [
  'luid text',
  'thread text',
  'was int',
  'was_due timestamptz',
  'due timestamptz',
  'deadline timestamptz',
  'stage text',
  'uses text',
  'state text',
  'mac text',
];

/** Luids of intents that are final. */
export const CLOSED = ['luid text'];

/** Calls of bridges that follow from the decisions. */
export const CALLS = [
  'n int',
  'handle text',
  'purpose text',
  'entry text',
  'bridge text',
  'target text',
  'record text',
  'linked text',
  'event text',
  'mac text',
  'moment timestamptz',
];

/** The parts of settling that a batch needs, beside movements between balances that exist. */
export interface Settles {
  /** Make balances. */
  readonly balance: boolean;
  /** Read or change limits. */
  readonly limit: boolean;
  /** Keep intents open, or close such. */
  readonly open: boolean;
  /** Call bridges. */
  readonly call: boolean;
}

/** What a batch that settles does with records. */
interface Writes {
  readonly create: boolean;
  readonly update: boolean;
}

/**
 * What comes before the writes of a batch that settles intents: `sound` says whether what was read for the decisions is
 * unchanged, except balances that move: their update compares the version. Decisions rest on one another, so the batch is
 * stored whole or not at all.
 *
 * The rows that `sound` rests on are locked until the writes are done. At the end `settled` undoes the statement where a balance
 * that moves has another version, or where a row has appeared that could not be locked, as that of a handle which another
 * transaction takes at the same time.
 *
 * Tables of parameters: `w` writes and `need` (commit-sql.ts), `earlier` versions, `m` balances, `e` movements, `li` limits,
 * `op` intents that stay open, `closing` those that end, `ca` calls. Checks: `fence` the home, `kept` balances that were only
 * read, `kept_limit`, `kept_open`, `taken` handles of creates that exist, `at` records of updates at their version; `fits` and
 * `sound` sum up.
 *
 * @param first the number of the first parameter; `settlementColumns` has their order
 */
export function settleFirst(first: number, settles: Settles, writes: Writes): string {
  let next = first;
  const table = (name: string, columns: readonly string[]) => {
    const text = `${name} as (select * from ${formatUnnest(name, columns, next)})`;
    next += columns.length;
    return text;
  };
  const fence = (holder: number) => `
fence as (
  update home set until = clock_timestamp() + $${holder + 1}::int * interval '1 millisecond',
    moment = greatest(moment, $${holder + 2}::timestamptz)
  where ledger_id = $1::bigint and holder = $${holder}::text
  returning ledger_id
)`;
  const holder = next;
  next += HOME;
  const parts = [
    fence(holder),
    table('earlier', EARLIER),
    table('m', BALANCES),
    table('e', ENTRIES),
    kept(holder),
    ...(settles.limit ? [table('li', LIMITS), KEPT_LIMIT] : []),
    ...(settles.open ? [table('op', OPENED), table('closing', CLOSED), KEPT_OPEN] : []),
    settles.call && table('ca', CALLS),
    writes.create && TAKEN,
    writes.update && AT,
    fits(holder, settles),
    sound(writes),
  ];
  return parts.filter(Boolean).join(',\n');
}

/** Parameters of the home. */
const HOME = 3;

// Locks balances that were only read. The update of those that move compares the version itself. The home alone locks any, so
// no two settlements of a ledger wait for each other's.
const kept = (holder: number) => `kept as (
  select b.wallet from (
      select wallet, symbol, was from m
      where version = was and ($${holder}::text is null or exists (select from fence)) order by wallet, symbol) x
    join balance b on b.ledger_id = $1::bigint and b.wallet = x.wallet and b.symbol = x.symbol and b.version = x.was
  for no key update of b
)`;

const KEPT_LIMIT = `kept_limit as (
  select b.wallet from li
    join wallet_limit b on b.ledger_id = $1::bigint and b.wallet = li.wallet and b.symbol = li.symbol
      and b.metric = li.metric and b.luid = li.luid and b.version = li.was
  where ${isInForce('b', '$1::bigint')}
  for no key update of b
)`;

const KEPT_OPEN = `kept_open as (
  select o.luid from op join open_intent o on o.ledger_id = $1::bigint and o.luid = op.luid and o.version = op.was
  for no key update of o
)`;

const TAKEN = `taken as (
  select w.ord from w join record r on r.ledger_id = $1::bigint and r.kind = w.kind and r.handle = w.handle
  where w.action = 'create'
)`;

const AT = `at as (
  select w.ord from w join record r on r.ledger_id = $1::bigint and r.luid = w.luid and r.change = w.was
  where w.action = 'update'
  for no key update of r
)`;

const fits = (holder: number, { balance, limit, open }: Settles) => {
  const checks = [
    '(select count(*) from m where was > 0 and version = was) = (select count(*) from kept)',
    limit && '(select count(*) from li where was > 0) = (select count(*) from kept_limit)',
    open && '(select count(*) from op where was > 0) = (select count(*) from kept_open)',
    balance &&
      `not exists (
        select from m join balance b on b.ledger_id = $1::bigint and b.wallet = m.wallet and b.symbol = m.symbol
        where m.was = 0)`,
    limit &&
      `not exists (
        select from li join wallet_limit b on b.ledger_id = $1::bigint and b.wallet = li.wallet and b.symbol = li.symbol
          and b.metric = li.metric
        where li.was = 0 and ${isInForce('b', '$1::bigint')})`,
  ];
  return `fits as materialized (
  select $${holder}::text is null or exists (select from fence) as is_home,
    ${checks.filter(Boolean).join('\n      and ')} as is_balanced,
    (select count(*) from need) = (select count(*) from met) as is_named
)`;
};

const sound = ({ create, update }: Writes) => `sound as materialized (
  select f.is_home and f.is_balanced and f.is_named
    and (select count(*) from w) = (select count(*) from held where not reused)${
      create ? '\n    and not exists (select from taken)' : ''
    }${update ? `\n    and (select count(*) from w where action = 'update') = (select count(*) from at)` : ''} as ok
  from fits f
)`;

/** After the writes: the movements, and what becomes of open intents. */
export function settleLast({ balance, limit, open, call }: Settles): string {
  const parts = [MOVED, balance && OPENED_BALANCES, ENTERED, limit && LIMITED, open && CARRIED, call && CALLED];
  return parts.filter(Boolean).join(',');
}

const MOVED = `
moved as (
  update balance b set version = m.version, available = m.available, available_moment = m.available_moment,
    available_changed = m.available_changed, reserved = m.reserved, reserved_luid = m.reserved_luid,
    reserved_moment = m.reserved_moment, reserved_changed = m.reserved_changed
  from (select * from m where was > 0 and version > was order by wallet, symbol) m
  where (select ok from sound)
    and b.ledger_id = $1::bigint and b.wallet = m.wallet and b.symbol = m.symbol and b.version = m.was
  returning b.wallet
)`;

const OPENED_BALANCES = `
opened as (
  insert into balance (ledger_id, wallet, symbol, version, available, available_luid, available_moment, available_changed,
    reserved, reserved_luid, reserved_moment, reserved_changed)
  select $1::bigint, wallet, symbol, version, available, available_luid, available_moment, available_changed,
    reserved, reserved_luid, reserved_moment, reserved_changed
  from m where (select ok from sound) and was = 0 and version > 0 order by wallet, symbol
  returning wallet
)`;

const ENTERED = `
entries as (
  insert into entry (ledger_id, wallet, symbol, version, intent, change, available_by, reserved_by, available, reserved,
    moment)
  select $1::bigint, wallet, symbol, version, intent, change, available_by, reserved_by, available, reserved, moment
  from e where (select ok from sound)
)`;

const LIMITED = `
limited as (
  update wallet_limit b set version = li.version, amount = li.amount, day = li.day, used = li.used, body = li.body
  from li
  where (select ok from sound) and li.was > 0 and li.version > li.was and b.ledger_id = $1::bigint
    and b.wallet = li.wallet and b.symbol = li.symbol and b.metric = li.metric and b.luid = li.luid and b.version = li.was
),
-- Intents under way keep their symbols, and the others need theirs: each handle names one.
limited_first as (
  insert into wallet_limit (ledger_id, wallet, symbol, symbol_luid, metric, luid, version, amount, day, used, body)
  select $1::bigint, wallet, symbol,
    (select s.luid from record s where s.ledger_id = $1::bigint and s.kind = 'symbol' and s.handle = li.symbol),
    metric, luid, version, amount, day, used, body
  from li where (select ok from sound) and was = 0 and version > 0 order by wallet, symbol, metric
)`;

const CARRIED = `
waiting as (
  insert into open_intent (ledger_id, luid, thread, version, due, deadline, stage, uses, state, mac)
  select $1::bigint, luid, thread, 1,
    -- \`least\` ignores nulls: one that waits for somebody is not due.
    case when due is not null then least(due, clock_timestamp()) end,
    deadline, stage, uses::text[], state, mac
  from op where (select ok from sound) and was = 0
  order by luid
),
-- A report that came meanwhile has made it due again.
carried as (
  update open_intent o set version = op.was + 1, deadline = op.deadline, stage = op.stage, uses = op.uses::text[], state = op.state, mac = op.mac,
    due = case when o.due is distinct from op.was_due then o.due
      when op.due is not null then least(op.due, clock_timestamp()) end
  from op where (select ok from sound) and op.was > 0 and o.ledger_id = $1::bigint and o.luid = op.luid
),
closed as (
  delete from open_intent o using closing c
  where (select ok from sound) and o.ledger_id = $1::bigint and o.luid = c.luid
)`;

// A decision may call bridges without adding a version: after the last debit was prepared, credits are asked for.
const CALLED = `
called as (
  insert into delivery (ledger_id, handle, purpose, entry, bridge, target, record, linked, event, mac, moment, due)
  select $1::bigint, handle, purpose, entry, bridge, target, record, linked, event, mac, moment, least(moment, clock_timestamp())
  from ca where (select ok from sound) order by n
  returning event
)`;

/** Why a batch was not stored, beside the outcomes of its writes. `settled` rolls back one that was stored in part. */
export function settleOutcome({ balance }: Settles): string {
  return `, (select ok from sound) as "isStored", fits.is_home as "isHome", fits.is_balanced as "isBalanced",
  (select assert_settled(not (select ok from sound) or (
    (select count(*) from done) = (select count(*) from w)
    and (select count(*) from moved)${balance ? ' + (select count(*) from opened)' : ''} = (select count(*) from m where version > was)
  ))) as settled`;
}

/** A batch without a write has an outcome, too. */
export function settleFrom({ create, update }: Writes): string {
  return `fits
  left join w on true${create ? '\n  left join taken using (ord)' : ''}${update ? '\n  left join at using (ord)' : ''}`;
}
