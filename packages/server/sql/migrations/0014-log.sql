-- The Merkle log of each ledger: every change becomes a leaf (decision 0033, docs/interface/log.md).
--
-- A commit adds one row to `unsealed`. A sealer moves its leaves into the tree, in the order of `id`, under a lock of the
-- ledger's row in `log`; leaves, tiles, checkpoint and the deletion from the queue are one transaction.

-- Leaves that wait to be sealed: a row for each batch of writes, of which the arrays have an element each.
create table unsealed (
  ledger_id bigint not null,
  id bigint generated always as identity,
  moment timestamptz not null default clock_timestamp(),
  luids text[] not null,
  -- Number of the last change that the write stored, and its leaves in base64, of each 16 bytes of salt and the commitment,
  -- with their authentication code behind a dot.
  changes integer[] not null,
  leaves text[] not null,
  primary key (ledger_id, id)
-- Rows live for moments: without this, dead ones pile up in front of the next.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create table log (
  ledger_id bigint primary key,
  -- Rises when an operator begins a new tree, since the database lost leaves of the one before.
  generation integer not null check (generation >= 1),
  -- Name of the tree in checkpoints: fixed, while the service may move.
  origin text collate "C" not null,
  size bigint not null check (size >= 0),
  -- Roots of the full subtrees that make up the tree, largest first.
  edge bytea not null,
  -- The newest checkpoint, as it is served; null before the first.
  checkpoint text,
  sealed timestamptz,
  -- Authentication code of all of the above.
  mac text,
  -- The newest checkpoint with cosignatures that meet the policy for witnesses, as it is served; null without witnesses.
  cosigned text,
  -- Since when the newest checkpoint waits for the cosignatures of all witnesses; null when it has them.
  unwitnessed timestamptz,
  -- The last checkpoint of the generation before, which the first leaf commits to; null in the first generation.
  predecessor text,
  -- Why nothing is sealed; null while all is well.
  stopped text
) with (fillfactor = 50);
-- A seal mostly leaves "unwitnessed" as it is, and so the index, too.
create index log_unwitnessed on log (ledger_id) where unwitnessed is not null;

-- What each witness is known to have cosigned last of a log.
create table log_witness (
  ledger_id bigint not null,
  -- Its verifier key.
  witness text collate "C" not null,
  size bigint not null,
  -- The line of its cosignature.
  cosignature text not null,
  primary key (ledger_id, witness)
);

-- Leaves: a row for each write, with the versions that it stored at once.
create table log_leaf (
  -- Numbers come first: behind a text, each would be padded.
  ledger_id bigint not null,
  -- Index of the first of these leaves.
  first bigint not null,
  -- Number of the last of these changes; they follow one another.
  change integer not null,
  luid text collate "C" not null,
  -- 32 bytes of each leaf.
  commitments bytea not null,
  -- 16 bytes of each; null once the record is erased.
  salts bytea,
  primary key (ledger_id, luid, change)
);
create unique index log_leaf_first on log_leaf (ledger_id, first);

-- Hashes of the tree: at level 0 full tiles only, above them the one that grows, too.
create table log_tile (
  ledger_id bigint not null,
  level smallint not null,
  n bigint not null,
  hashes bytea not null,
  primary key (ledger_id, level, n)
);
-- Hashes do not compress.
alter table log_tile alter column hashes set storage external;

-- Ledgers whose changes of before the log are still to be added: how far that is.
create table log_backfill (
  ledger_id bigint primary key,
  luid text collate "C" not null,
  change integer not null
);
-- A ledger without its private keys is read only: it signs nothing.
insert into log_backfill (ledger_id, luid, change)
select l.id, '', 0 from ledger l
where exists (
  select from record r join secret s on s.ledger_id = r.ledger_id and s.luid = r.luid
  where r.ledger_id = l.id and r.kind = 'signer' and r.handle = 'system');
