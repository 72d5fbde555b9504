-- Deliveries of events and calls. A receiver, by which failures are counted and further attempts are shared, is an effect; of calls
-- for intents, their target. A backlog is what is set aside of one receiver: its row tells when the next of it are taken up.

-- How a delivery stands after an attempt. The proofs of the attempt, as JSON joined by commas, stand beside.
create type settled_delivery_1 as (
  handle text,
  -- Attempts before it.
  was int,
  attempts int,
  tries int,
  status text,
  attempted timestamptz,
  -- When the next attempt is due; null after the last, and for one that is set aside.
  due timestamptz,
  -- Since when it is set aside.
  aside timestamptz,
  -- The intent of a call that was given up, with what it is to note.
  intent text, note text, note_mac text,
  -- Whether it was an attempt of a delivery that was taken up; null where nothing is learnt of the receiver.
  further boolean,
  -- Whether the receiver took it, or wants no more of it; null for one that is not wanted any more: nobody was called.
  succeeded boolean
);

-- The delay of the further attempts of a receiver, longer with each step. From three quarters of it to all of it, so that receivers that
-- failed together part.
create function further_delay_1(step int, first_delay int, greatest_delay int) returns interval language sql volatile as $$
  select least(greatest_delay, first_delay * 2.0 ^ least(step, 20)) * (0.75 + 0.25 * random()) * interval '1 millisecond'
$$;

-- Stores what became of attempts of one ledger. A delivery that has changed since is left alone (optimistic concurrency).
--
-- In the same transaction, intents of calls that were given up become due, so that no note is lost, and backlogs learn when they are
-- taken up, so that nothing that is set aside is forgotten. Rows are locked in the order of columns, which are collated as "C".
create function settle_deliveries_1(
  ledger bigint,
  settled settled_delivery_1[],
  added_proofs text[],
  -- Milliseconds.
  first_delay int,
  greatest_delay int,
  -- Failures in a row after which a receiver rests, and how many deliveries are taken up at once at most.
  rests int,
  at_once int
) returns void language plpgsql
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  s settled_delivery_1;
  receiver text;
  proof_bytes int;
  added_bytes bigint := 0;
  stored settled_delivery_1[] := '{}';
  receivers text[] := '{}';
  told record;
  backlog delivery_backlog;
  is_new boolean;
  -- A success of a receiver that rested.
  is_eased boolean;
begin
  for n in 1 .. cardinality(settled) loop
    s := settled[n];
    update delivery d set status = s.status, attempts = s.attempts, tries = s.tries, attempted = s.attempted, due = s.due,
      aside = s.aside, given_up = coalesce(s.note, d.given_up), given_up_mac = coalesce(s.note_mac, d.given_up_mac),
      proofs = concat_ws(',', nullif(d.proofs, ''), nullif(added_proofs[n], ''))
    where d.ledger_id = ledger and d.handle = s.handle and d.attempts = s.was and d.status = 'running'
    returning coalesce(d.effect, d.target), octet_length(d.proofs) into receiver, proof_bytes;
    if found then
      stored := stored || s;
      receivers := receivers || receiver;
      if added_proofs[n] <> '' then
        -- With the comma before it.
        added_bytes := added_bytes + octet_length(added_proofs[n]) + (proof_bytes > octet_length(added_proofs[n]))::int;
      end if;
    end if;
  end loop;

  for told in
    select k.intent, max(k.attempted) as attempted from unnest(stored) k where k.intent is not null group by k.intent
    order by k.intent collate "C"
  loop
    update open_intent o set due = greatest(told.attempted, o.due + interval '1 microsecond')
    where o.ledger_id = ledger and o.luid = told.intent;
  end loop;

  for told in
    select k.receiver, max(k.attempted) as now, bool_or(k.aside is not null) as parks,
      coalesce(bool_or(k.succeeded), false) as succeeded,
      count(*) filter (where not k.succeeded) as failed,
      count(*) filter (where k.further and k.succeeded) as taken,
      bool_or(k.further and k.succeeded is null) as is_unwanted,
      bool_or(k.further and k.aside is not null) as failed_again
    from (select l.*, r.receiver from unnest(stored) with ordinality as l
      join unnest(receivers) with ordinality as r (receiver, ordinality) using (ordinality)) k
    where k.further is not null group by k.receiver order by k.receiver collate "C"
  loop
    is_new := false;
    if told.failed > 0 or told.taken > 0 or told.parks then
      insert into delivery_backlog (ledger_id, receiver, failures, step, allowed) values (ledger, told.receiver, 0, 0, 0)
      on conflict do nothing;
      is_new := found;
    end if;
    select * into backlog from delivery_backlog q where q.ledger_id = ledger and q.receiver = told.receiver for no key update;
    continue when not found;
    is_eased := told.succeeded and backlog.failures >= rests;
    backlog.failures := case when told.succeeded then 0 else least(backlog.failures + told.failed, 1000000) end;
    backlog.allowed := least(at_once, backlog.allowed + 2 * told.taken);
    if told.taken > 0 or is_eased then
      -- The next ones are due at once.
      backlog.step := 0;
      backlog.due := told.now;
    elsif told.failed_again and not is_new then
      backlog.step := least(backlog.step + 1, 20);
      backlog.due := told.now + further_delay_1(backlog.step, first_delay, greatest_delay);
    elsif told.parks then
      backlog.due := coalesce(backlog.due, told.now + further_delay_1(backlog.step, first_delay, greatest_delay));
    end if;
    if told.is_unwanted and not told.failed_again then
      -- In its place the next is taken up.
      backlog.due := told.now;
    end if;
    update delivery_backlog q
    set failures = backlog.failures, step = backlog.step, allowed = backlog.allowed, due = backlog.due
    where q.ledger_id = ledger and q.receiver = told.receiver;
  end loop;

  -- Proofs count for the quota. Last, since the sealer locks the row.
  if added_bytes > 0 then
    insert into storage as had (ledger_id, bytes) values (ledger, added_bytes)
    on conflict (ledger_id) do update set bytes = had.bytes + excluded.bytes;
  end if;
end
$$;

-- Sets a piece of what is due in a queue aside, without an attempt: events of effects that rest. Calls for intents, which somebody
-- waits for, are left, and so is what was taken up.
create function set_deliveries_aside_1(
  ledger bigint,
  queue text,
  now timestamptz,
  -- Handles that the process attempts.
  running text[],
  first_delay int,
  rests int,
  at_once int
) returns void language plpgsql
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  resting text[];
  receivers text[];
begin
  resting := array(
    select w.handle
    from (
      select d.handle, d.effect, d.purpose, d.aside from delivery d
      where d.ledger_id = ledger and d.target = queue and d.due <= now and d.handle <> all (running)
      order by d.due limit at_once
    ) w
    where w.purpose is null and w.aside is null and exists (
      select from delivery_backlog q where q.ledger_id = ledger and q.receiver = coalesce(w.effect, queue) and q.failures >= rests)
  );
  with set_aside as (
    update delivery d set due = null, aside = now, status = case when d.attempts = 0 then 'pending' else 'failed' end
    where d.ledger_id = ledger and d.handle = any (array(
      select w.handle from delivery w
      where w.ledger_id = ledger and w.handle = any (resting) and w.due <= now and w.purpose is null and w.aside is null
      for no key update skip locked))
    returning coalesce(d.effect, d.target) as receiver
  )
  select array_agg(distinct receiver order by receiver) into receivers from set_aside;
  insert into delivery_backlog as q (ledger_id, receiver, failures, step, allowed, due)
  select ledger, receiver, 0, 0, 0, now + first_delay * interval '1 millisecond' from unnest(receivers) receiver
  on conflict (ledger_id, receiver) do update set due = coalesce(q.due, excluded.due);
end
$$;

-- Makes the next deliveries of a ledger that were set aside due: of each receiver those whose time is over, and the next ones; of an
-- effect that was dropped or is out of use, all are over. Returns about how many.
--
-- Whoever sets one aside holds the row of the backlog until it is stored, so this sees all of them: a receiver without any is left
-- alone from then on. One that another transaction has locked is there still.
create function take_up_deliveries_1(
  ledger bigint,
  now timestamptz,
  -- Those that were set aside before have had their time: they are due as well, and end.
  since timestamptz,
  -- Statuses of effects that are out of use.
  out_of_use text[],
  first_delay int,
  greatest_delay int,
  -- Receivers that are looked at, and deliveries of each that are over, at most.
  receivers int,
  piece int
) returns bigint language plpgsql
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  backlog delivery_backlog;
  over_since timestamptz;
  over_time text[];
  next_ones text[];
  next_due timestamptz;
  taken bigint := 0;
begin
  for backlog in
    select * from delivery_backlog q where q.ledger_id = ledger and q.due <= now
    order by q.due limit receivers for update skip locked
  loop
    over_since := since;
    if starts_with(backlog.receiver, '$eff.') and not exists (
      select from record e
      where e.ledger_id = ledger and e.luid = backlog.receiver and coalesce(e.status, '') <> all (out_of_use)
    ) then
      over_since := 'infinity';
    end if;
    over_time := array(
      select d.handle from delivery d
      where d.ledger_id = ledger and coalesce(d.effect, d.target) = backlog.receiver
        and d.aside is not null and d.due is null and d.status in ('pending', 'failed') and d.aside <= over_since
      order by d.aside limit piece for no key update skip locked
    );
    -- The comparison that always holds has the planner take the right index whatever its statistics say.
    next_ones := array(
      select d.handle from delivery d
      where d.ledger_id = ledger and coalesce(d.effect, d.target) = backlog.receiver
        and d.aside is not null and d.due is null and d.status in ('pending', 'failed')
        and coalesce(d.attempted, d.moment) > '-infinity'
      order by coalesce(d.attempted, d.moment) limit greatest(1, backlog.allowed) for no key update skip locked
    );
    update delivery d set due = now, status = case when d.attempts = 0 then 'pending' else 'failed' end
    where d.ledger_id = ledger and d.handle = any (over_time || next_ones);
    next_due := null;
    if cardinality(over_time) = piece then
      next_due := now;
    elsif exists (
      select from delivery d
      where d.ledger_id = ledger and coalesce(d.effect, d.target) = backlog.receiver
        and d.aside is not null and d.due is null and d.status in ('pending', 'failed')
    ) then
      next_due := now + further_delay_1(backlog.step, first_delay, greatest_delay);
    end if;
    update delivery_backlog q set allowed = 0, due = next_due where q.ledger_id = ledger and q.receiver = backlog.receiver;
    taken := taken + cardinality(over_time) + cardinality(next_ones);
  end loop;
  return taken;
end
$$;
