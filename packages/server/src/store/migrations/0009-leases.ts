/**
 * Leases of background work (background/worker.ts). A row stands for a unit that a process runs, that waits after a run,
 * or whose last run failed; what there is to do stands in other tables. Deleting every row costs time and nothing else.
 *
 * `ledger_id` is 0 for units of the whole deployment, `unit` is empty where a worker has one unit for a ledger.
 * Nobody else takes the unit before `until`. Renewals change no indexed column, and the free room of each page lets them
 * stay there.
 */
export const sql = `
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
`;
