-- The leader that a ledger had before, and the moment of its last decision or record; null where another one leads it still.
create type lead_outcome_1 as (moment timestamptz, holder text);

-- Makes a process the leader of a ledger for so many milliseconds, unless another one is: by the clock of the database.
create function acquire_lead_1(ledger bigint, holder text, lease int, kinds text[]) returns lead_outcome_1 language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
  -- Volatile functions stand outside of updates, so that the tables can be distributed.
  this_moment constant timestamptz := clock_timestamp();
  former text;
  last timestamptz;
begin
  select h.holder into former from home h where h.ledger_id = ledger;
  insert into home as h (ledger_id, holder, until, moment)
  values (ledger, acquire_lead_1.holder, this_moment + lease * interval '1 millisecond', 'epoch')
  on conflict (ledger_id) do update set holder = excluded.holder, until = excluded.until
    where h.holder = excluded.holder or h.until < this_moment
  returning h.moment into last;
  if not found then
    return row(null, former)::lead_outcome_1;
  end if;
  return row(greatest(last, newest_moment_1(ledger, kinds)), former)::lead_outcome_1;
end
$$;
