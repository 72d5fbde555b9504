-- The first schema: ledgers, the append-only history, the index of current versions, sealed secrets.
--
-- Every primary key and unique index begins with `ledger_id`, so each ledger's rows are reached through that ledger
-- only, and the tables can be distributed by it. The exceptions are `ledger` itself, which maps a handle to its id, and
-- `deployment`, which belongs to the deployment as a whole.
--
-- There are no foreign keys to `ledger`: each would take a row lock per write on the one row that all of a ledger's
-- writers share, and the committing statement joins `ledger` anyway.
--
-- Handles, luids and hashes compare as bytes (`collate "C"`): faster, and the same on every operating system.

create table deployment (
  name text primary key,
  value text not null
);

create table ledger (
  id bigint generated always as identity primary key,
  handle text collate "C" not null unique,
  luid text collate "C" not null unique,
  -- Rises with every write that can change what a process has cached of the ledger: rules, members, schemas.
  version bigint not null default 1,
  owners text[] not null
);
create index ledger_owners on ledger using gin (owners);

-- The truth: one row per stored version. The body is the text a read answers, so nothing is serialised twice and
-- nothing is lost that jsonb would not keep (the order of keys).
create table change (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null check (change >= 1),
  kind text collate "C" not null,
  action text collate "C" not null check (action in ('create', 'update', 'drop')),
  moment timestamptz not null,
  hash text collate "C" not null,
  body text not null,
  primary key (ledger_id, luid, change)
);

create function refuse_rewriting_history() returns trigger language plpgsql as $$
begin
  raise exception 'history is append-only: % of change refused', tg_op using errcode = 'restrict_violation';
end
$$;
create trigger append_only before update or delete or truncate on change
  for each statement execute function refuse_rewriting_history();

-- The current version of every record that has not been dropped. It holds nothing that change does not.
create table record (
  ledger_id bigint not null,
  kind text collate "C" not null,
  -- The key unique within the kind: the handle, or circle/signer for circle signers.
  handle text collate "C" not null,
  luid text collate "C" not null,
  change integer not null,
  -- Order of creation: the tie-break of lists, whose moments can be equal.
  seq bigint generated always as identity,
  hash text collate "C" not null,
  status text collate "C",
  moment timestamptz not null,
  domain text collate "C",
  -- The one other value a kind is looked up by: a signer's key, the wallet of an anchor.
  link text collate "C",
  -- What lists filter by, flattened, under one key that names ledger and kind: so is every entry of the index below.
  document jsonb not null,
  primary key (ledger_id, luid),
  unique (ledger_id, handle, kind)
);
-- No index begins with (ledger_id, kind), though all of these ask for both. To a planner that has no statistics yet,
-- such a beginning seems to lead to one row as surely as a unique key does, and lookups that took it read the whole of
-- a kind: 40 times slower for the first minute of a load. Lists name the kind as an expression to get at theirs.
create index record_newest on record (ledger_id, (kind || ''), moment desc, seq);
create index record_link on record (ledger_id, link, kind) where link is not null;
create index record_document on record using gin (document jsonb_path_ops);

-- Values of secret references, sealed under the master key. Never in change, so dropping one really forgets it.
create table secret (
  ledger_id bigint not null,
  luid text collate "C" not null,
  name text collate "C" not null,
  sealed bytea not null,
  primary key (ledger_id, luid, name)
);
