-- Indexes for lists by status and by domain, and the maintenance of the index of filter documents (decision 0012).
--
-- The kind is an expression for the reason given in `0001-records.ts`, and stands behind the status or the domain:
-- otherwise a planner that lacks statistics would prefer these indexes for a list of the whole kind.

-- Clients choose statuses, of any length; an index entry has to fit a page.
create index record_status on record (ledger_id, left(status, 100), (kind || ''), moment desc, seq);
create index record_domain on record (ledger_id, domain, (kind || ''), moment desc, seq) where domain is not null;

-- No list of pending entries: every search reads all of it, and the write that finds it full stands still for tens of
-- milliseconds to sort it in, with all writes behind it.
alter index record_document set (fastupdate = off);

-- A sample of documents says nothing of one value in one ledger, and is most of what analysing the table costs.
alter table record alter column document set statistics 0;

-- Updates move entries in the indexes that lists walk; what they leave behind is to be cleared away early.
alter table record set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
