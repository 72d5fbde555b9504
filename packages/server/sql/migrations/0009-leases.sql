-- Leases of background work (background/worker.ts). A row stands for a unit that a process runs, that waits after a
-- run, or whose last run failed; the work itself stands in other tables. Deleting every row costs time only.
--
-- `ledger_id` is 0 for units of the whole deployment, `unit` is empty where a worker has one unit for a ledger. Other
-- processes may take the unit from `until` on. Renewals change unindexed columns only, and the free room of each page
-- lets the row stay there.

create table lease (
  ledger_id bigint not null,
  worker text collate "C" not null,
  unit text collate "C" not null,
  -- The process that runs it; null while nobody does.
  holder text,
  until timestamptz not null,
  -- Runs in a row that failed, or whose process died.
  failures integer not null,
  primary key (ledger_id, worker, unit)
) with (fillfactor = 50);
