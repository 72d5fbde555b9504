-- What an operator has stopped of a ledger: its writes, or its reads as well; null where nothing is. Whoever sets it raises the version of
-- the ledger, so that every process sees it with its next read or commit.
alter table ledger
  add column suspended text collate "C",
  add column suspended_why text,
  add column suspended_since timestamptz,
  add constraint ledger_suspended_check check (suspended in ('writes', 'all')),
  add constraint ledger_suspension_is_whole check (num_nulls(suspended, suspended_why, suspended_since) in (0, 3));
