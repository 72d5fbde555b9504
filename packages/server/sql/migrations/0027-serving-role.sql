-- What serves may be another role than the one that owns these tables: it may not analyze them itself.
create function renew_statistics_1() returns void language plpgsql security definer as $$
begin
  analyze record, change;
end
$$;
-- Whoever makes a table of that name in a schema of his own is not asked.
do $$
begin
  execute format('alter function renew_statistics_1() set search_path = %I, pg_temp', current_schema());
end
$$;
revoke execute on function renew_statistics_1() from public;

-- Rows of these are inserted and never changed. By default a vacuum comes after a fifth of a table has been added: of ten million rows
-- two million at once, each page read and written again long after it has left the caches, and all of it a second time to freeze it
-- before transaction numbers wrap. After every 100,000 rows the pages are still in the caches, and frozen at once they are never read
-- for it again. Such a vacuum skips the pages that earlier ones have seen, and indexes, as there are no dead rows.
alter table change set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, autovacuum_freeze_min_age = 0);
alter table entry set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, autovacuum_freeze_min_age = 0);

-- `ledger` and `storage`, which every write or round of sealing updates, keep PostgreSQL's fill factor: of 20,000 updates of 2,000 rows
-- 98% stayed in their page with it, and all of them with a fill factor of 50, in a table 1.7 times as large.
