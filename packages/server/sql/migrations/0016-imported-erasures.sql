-- What an import brings of changes whose text was erased before it (export#import): their leaves in the log that is made
-- of the ledger here. Nothing else is left to make them of.

-- Until the log has it; for good in a ledger that is read-only.
create table erased_leaf (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null,
  -- As it would be queued, without a salt: base64 of 16 bytes of zero and the commitment, and the code.
  leaf text not null,
  primary key (ledger_id, luid, change)
);
alter table erased_leaf alter column leaf set statistics 0;
