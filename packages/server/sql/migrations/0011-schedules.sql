-- How far schedules have been followed (schedules/): a row for each schedule policy. Deleting one has its policy begin
-- anew, with the instants after the policy's last change.
--
-- The index finds the schedule policies of all ledgers without reading any other record; a record of another kind costs
-- no more than a look at its kind.

create table schedule (
  ledger_id bigint not null,
  -- Luid of the policy.
  policy text collate "C" not null,
  -- The version of the ledger's state that the row was made on.
  version bigint not null,
  -- Of the policy's data that it was made of.
  hash text collate "C",
  -- Instants up to this one are done with.
  through timestamptz,
  -- The next instant; null while the policy does not act.
  next_at timestamptz,
  -- Since when there is something to do; null while there is nothing.
  due timestamptz,
  primary key (ledger_id, policy)
);
create index record_schedule on record (ledger_id, luid)
  where kind = 'policy' and document -> (ledger_id::text || '/policy') -> 'data.schema' @> '["schedule"]'::jsonb;
