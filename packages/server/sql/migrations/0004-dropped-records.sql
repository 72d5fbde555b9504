-- Dropped records, by the hash of each one's first version. It tells a repeated create, sent again after the drop, from
-- a new one.

create table dropped_record (
  ledger_id bigint not null,
  kind text collate "C" not null,
  hash text collate "C" not null,
  luid text collate "C" not null,
  primary key (ledger_id, kind, hash, luid)
);
insert into dropped_record (ledger_id, kind, hash, luid)
  select made.ledger_id, made.kind, made.hash, made.luid
  from change gone join change made on made.ledger_id = gone.ledger_id and made.luid = gone.luid and made.change = 1
  where gone.action = 'drop';
