-- Money: balances and the movements they are the sum of, limits, intents that are under way, and the process that
-- decides on them (decision 0026).
--
-- Wallets are named by luid: a wallet made anew under the handle of a dropped one has balances of its own. Symbols keep
-- their handles for good. Amounts are integers in 1/factor units of the symbol, within those of JSON numbers.

-- Of the versions that one transaction stores of a record, the last is whole. The others begin with so many characters of
-- the next whole one, and hold only what follows. The view has the texts as they are served.
alter table change add column cut integer check (cut >= 0);
create view version as
  select c.ledger_id, c.luid, c.change, c.kind, c.action, c.moment, c.hash, c.mac,
    case when c.cut is null then c.body else coalesce(left((
      select w.body from change w
      where w.ledger_id = c.ledger_id and w.luid = c.luid and w.change > c.change and w.cut is null
      order by w.change limit 1), c.cut), '') || c.body end as body
  from change c;
-- Compressing what fits into a page takes longer than writing it.
alter table change set (toast_tuple_target = 8160);

create table balance (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  -- Rises with every movement. Whoever writes a balance names the version it was decided on (compare-and-set).
  version bigint not null check (version >= 1),
  available bigint not null check (abs(available) <= 9007199254740991),
  -- Null until the first debit.
  reserved bigint check (reserved between 0 and 9007199254740991),
  -- The two rows that clients see: luid, moment of the last change, and whether it has changed since it was made.
  available_luid text collate "C" not null,
  available_moment timestamptz not null,
  available_changed boolean not null,
  reserved_luid text collate "C",
  reserved_moment timestamptz,
  reserved_changed boolean,
  primary key (ledger_id, wallet, symbol)
) with (fillfactor = 50);

-- Movements, append-only: by what an intent changed a balance, and what it was then.
create table entry (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  -- Version of the balance that it made. Gapless.
  version bigint not null,
  -- The intent, by luid, and the number of the change of it that says so.
  intent text collate "C" not null,
  change integer not null,
  available_by bigint not null,
  reserved_by bigint not null,
  available bigint not null,
  reserved bigint,
  moment timestamptz not null,
  primary key (ledger_id, wallet, symbol, version)
);
create trigger append_only before update or delete or truncate on entry
  for each statement execute function refuse_rewriting_history();

create table wallet_limit (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  metric text collate "C" not null check (metric in ('minBalance', 'maxBalance', 'dailyAmount', 'dailyCount')),
  version bigint not null check (version >= 1),
  amount bigint not null check (abs(amount) <= 9007199254740991),
  -- What counts against a daily limit, and the UTC day that it counts for.
  day date,
  used bigint not null default 0,
  -- The row as it is served.
  body text not null,
  primary key (ledger_id, wallet, symbol, metric)
);

-- Intents that are not final.
create table open_intent (
  ledger_id bigint not null,
  luid text collate "C" not null,
  -- Intents that follow from one another have the same.
  thread text collate "C" not null,
  -- Rises with every decision on it (compare-and-set).
  version integer not null,
  -- When somebody must look at it; null while it waits for an event outside.
  due timestamptz,
  -- When it expires; null once it cannot.
  deadline timestamptz,
  stage text collate "C" not null,
  -- What it keeps from being dropped: luids of wallets; symbol: and bridge: with id of the ledger and handle.
  uses text[] not null,
  -- Its state as JSON (money/open-state.ts), and the authentication code of that.
  state text not null,
  mac text collate "C" not null,
  primary key (ledger_id, luid)
);
create index open_intent_due on open_intent (ledger_id, due) where due is not null;
create index open_intent_deadline on open_intent (ledger_id, deadline) where deadline is not null;
create index open_intent_uses on open_intent using gin (uses);
create index open_intent_thread on open_intent (ledger_id, thread);

-- Calls of bridges for intents are deliveries without an effect: what for, and the entry that they are about.
alter table delivery add column purpose text collate "C" check (purpose in ('prepare', 'commit', 'abort', 'status'));
alter table delivery add column entry text collate "C";
-- Why a call was given up, as its intent is to note it, and the authentication code of that.
alter table delivery add column given_up text;
alter table delivery add column given_up_mac text;
create index delivery_given_up on delivery (ledger_id, linked) where given_up is not null;

-- The process that decides on the intents of a ledger. It is for speed: the compare-and-set of balances keeps two apart.
create table home (
  ledger_id bigint primary key,
  holder text collate "C" not null,
  until timestamptz not null,
  -- Of the last decision: the next one is not earlier.
  moment timestamptz not null
);

-- Takes back a transaction of which a part could not be stored; the error says that it may be decided anew.
create function assert_settled(is_settled boolean) returns boolean language plpgsql as $$
begin
  if not is_settled then
    raise exception 'what is settled has changed meanwhile' using errcode = 'serialization_failure';
  end if;
  return true;
end
$$;
