set check_function_bodies = off;

create type lead_outcome_1 as (
  moment timestamp with time zone,
  holder text
);

create type retry_outcome_1 as (
  outcome text,
  version bigint
);

create type settle_balance_1 as (
  wallet text,
  symbol text,
  was bigint,
  version bigint,
  available bigint,
  available_luid text,
  available_moment timestamp with time zone,
  available_changed boolean,
  reserved bigint,
  reserved_luid text,
  reserved_moment timestamp with time zone,
  reserved_changed boolean
);

create type settle_entry_1 as (
  wallet text,
  symbol text,
  version bigint,
  intent text,
  change integer,
  available_by bigint,
  reserved_by bigint,
  available bigint,
  reserved bigint,
  moment timestamp with time zone
);

create type settle_limit_1 as (
  wallet text,
  symbol text,
  metric text,
  luid text,
  was bigint,
  version bigint,
  amount bigint,
  day date,
  used bigint
);

create type settle_open_1 as (
  luid text,
  thread text,
  was integer,
  was_due timestamp with time zone,
  due timestamp with time zone,
  deadline timestamp with time zone,
  stage text,
  uses text[],
  mac text
);

create type settle_outcome_1 as (
  is_stored boolean,
  is_home boolean,
  results text[],
  version bigint
);

create type settled_delivery_1 as (
  handle text,
  was integer,
  attempts integer,
  tries integer,
  status text,
  attempted timestamp with time zone,
  due timestamp with time zone,
  aside timestamp with time zone,
  intent text,
  note text,
  note_mac text,
  further boolean,
  succeeded boolean
);

create type store_delivery_1 as (
  ord integer,
  handle text,
  purpose text,
  entry text,
  effect text,
  effect_handle text,
  effect_change integer,
  effect_domain text,
  bridge text,
  target text,
  record text,
  linked text,
  mac text
);

create type store_earlier_1 as (
  ord integer,
  change integer,
  action text,
  cut integer,
  mac text
);

create type store_needed_1 as (
  ord integer,
  kind text,
  handle text,
  luid text,
  change integer
);

create type store_outcome_1 as (
  results text[],
  version bigint,
  newest timestamp with time zone
);

create type store_secret_1 as (
  ord integer,
  name text
);

create type store_unregistered_1 as (
  ord integer,
  public text
);

create type store_write_1 as (
  ord integer,
  version bigint,
  action text,
  kind text,
  handle text,
  luid text,
  change integer,
  was integer,
  moment timestamp with time zone,
  is_fixed boolean,
  hash text,
  status text,
  domain text,
  link text,
  proven boolean,
  registers boolean,
  bumps_rules boolean,
  wakes boolean,
  final text[],
  proofs uuid[],
  veiled uuid[],
  mac text,
  leaves text,
  bytes integer,
  beside integer
);

CREATE OR REPLACE FUNCTION public.acquire_lead_1(ledger bigint, holder text, lease integer, kinds text[])
 RETURNS lead_outcome_1
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.assert_settled(is_settled boolean)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  if not is_settled then
    raise exception 'what is settled has changed meanwhile' using errcode = 'serialization_failure';
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.create_ledger_1(ledger bigint, handle text, luid text, owners text[], version bigint, epoch text, writes store_write_1[], documents text[], judged_data text[], bodies text[], secrets store_secret_1[], sealed_values bytea[])
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  current_epoch text;
  stored store_outcome_1;
begin
  -- Locked until the commit, so that the new ledger joins the others when they are moved on to another epoch.
  select d.value into current_epoch from deployment d where d.name = 'epoch' for share;
  if current_epoch is distinct from epoch then
    return 'moved';
  end if;
  insert into ledger (id, handle, luid, owners, version) overriding system value values (ledger, handle, luid, owners, version)
  on conflict do nothing;
  if not found then
    return 'taken';
  end if;
  stored := store_batch_1(
    ledger => ledger, writes => writes, documents => documents, judged_data => judged_data, bodies => bodies,
    secrets => secrets, sealed_values => sealed_values);
  if 'done' <> any (stored.results) then
    raise exception 'Birth records were not stored: %', stored.results;
  end if;
  return 'done';
end
$function$;

CREATE OR REPLACE FUNCTION public.draw_numbers_1(ledger bigint, sequence text, many integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  return (select min(nextval(sequence::regclass)) from generate_series(1, many));
end
$function$;

CREATE OR REPLACE FUNCTION public.further_delay_1(step integer, first_delay integer, greatest_delay integer)
 RETURNS interval
 LANGUAGE sql
AS $function$
  select least(greatest_delay, first_delay * 2.0 ^ least(step, 20)) * (0.75 + 0.25 * random()) * interval '1 millisecond'
$function$;

CREATE OR REPLACE FUNCTION public.is_in_domains_1(effect_domain text, domains text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select domains is null or effect_domain is null or effect_domain = any (domains)
$function$;

CREATE OR REPLACE FUNCTION public.is_resendable_1(ledger bigint, effect text, status text, attempts integer, most_attempts integer, out_of_use text[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select status in ('pending', 'failed', 'cancelled') and attempts < most_attempts
    and (effect is null or exists (
      select from record e where e.ledger_id = ledger and e.luid = effect and coalesce(e.status, '') <> all (out_of_use)))
$function$;

CREATE OR REPLACE FUNCTION public.newest_moment_1(ledger bigint, kinds text[])
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  return (
    select greatest(max(n.moment), (select h.moment from home h where h.ledger_id = ledger))
    from unnest(kinds) as k (kind),
      lateral (
        select r.moment from record r where r.ledger_id = ledger and r.kind || '' = k.kind
        order by r.moment desc, r.seq limit 1
      ) n
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_closed_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from master_key where number = get_byte(new.sealed, 0) and is_open for share;
  if not found then
    raise exception 'The value is sealed under master key %, which is closed: this process lacks the newest one.',
      get_byte(new.sealed, 0) using errcode = '57CMK';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_rewriting_but_erasure()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.body is not null and new.body is null
    and (new.ledger_id, new.luid, new.change, new.kind, new.action, new.moment)
      = (old.ledger_id, old.luid, old.change, old.kind, old.action, old.moment)
    -- The last change of the record: to look for one among all would make the work of an erasure quadratic.
    and (
      select c.action from change c where c.ledger_id = old.ledger_id and c.luid = old.luid
      order by c.change desc limit 1) = 'erase'
  then
    return new;
  end if;
  raise exception 'history is append-only: % of change refused', tg_op using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_rewriting_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'history is append-only: % of change refused', tg_op using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.renew_statistics_1()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  analyze record, change;
end
$function$;

CREATE OR REPLACE FUNCTION public.request_retry_1(ledger bigint, version bigint, owner text, id text, luid text, proofs uuid[], veiled uuid[], now timestamp with time zone, since timestamp with time zone, domains text[], waiting integer)
 RETURNS retry_outcome_1
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  current_version bigint;
  outcome text;
  last bigint;
  free int;
begin
  select l.version into current_version from ledger l where l.id = ledger;
  if current_version is distinct from request_retry_1.version then
    return row('stale', current_version)::retry_outcome_1;
  end if;
  outcome := used_before_1(ledger, request_retry_1.luid, proofs, veiled);
  if outcome is not null then
    return row(outcome, current_version)::retry_outcome_1;
  end if;
  if owner = 'effect' then
    select max(d.seq) into last from delivery d where d.ledger_id = ledger and d.effect = request_retry_1.id;
  else
    select max(d.seq) into last from delivery d where d.ledger_id = ledger and d.bridge = request_retry_1.id;
  end if;
  loop
    select s.slot into free
    from generate_series(1, waiting) as s (slot)
    where not exists (
      select from delivery_retry r
      where r.ledger_id = ledger and r.owner = request_retry_1.owner and r.id = request_retry_1.id and r.slot = s.slot)
    order by s.slot limit 1;
    if not found then
      return row('full', current_version)::retry_outcome_1;
    end if;
    insert into delivery_retry (ledger_id, owner, id, slot, requested, since, domains, reached, until, worked)
    values (ledger, request_retry_1.owner, request_retry_1.id, free, now, request_retry_1.since, request_retry_1.domains, 0,
      coalesce(last, 0), now)
    on conflict do nothing;
    -- Another transaction may have taken the slot.
    exit when found;
  end loop;
  if not use_proofs_1(ledger, request_retry_1.luid, proofs) then
    delete from delivery_retry r
    where r.ledger_id = ledger and r.owner = request_retry_1.owner and r.id = request_retry_1.id and r.slot = free;
    return row('repeated', current_version)::retry_outcome_1;
  end if;
  return row('done', current_version)::retry_outcome_1;
end
$function$;

CREATE OR REPLACE FUNCTION public.resend_delivery_1(ledger bigint, version bigint, owner text, id text, luid text, proofs uuid[], veiled uuid[], now timestamp with time zone, handle text, domains text[], most_attempts integer, out_of_use text[])
 RETURNS retry_outcome_1
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  current_version bigint;
  outcome text;
  receiver text;
begin
  select l.version into current_version from ledger l where l.id = ledger;
  if current_version is distinct from resend_delivery_1.version then
    return row('stale', current_version)::retry_outcome_1;
  end if;
  perform from delivery d
  where d.ledger_id = ledger and d.handle = resend_delivery_1.handle
    and case owner when 'effect' then d.effect else d.bridge end = id and is_in_domains_1(d.effect_domain, domains);
  if not found then
    return row('missing', current_version)::retry_outcome_1;
  end if;
  outcome := used_before_1(ledger, resend_delivery_1.luid, proofs, veiled);
  if outcome is null and not use_proofs_1(ledger, resend_delivery_1.luid, proofs) then
    outcome := 'repeated';
  end if;
  if outcome is not null then
    return row(outcome, current_version)::retry_outcome_1;
  end if;
  update delivery d set status = 'pending', tries = 0, due = now, aside = null
  where d.ledger_id = ledger and d.handle = resend_delivery_1.handle
    and (is_resendable_1(ledger, d.effect, d.status, d.attempts, most_attempts, out_of_use)
      or (d.purpose is not null and d.status = 'delivered' and d.attempts < most_attempts))
  returning coalesce(d.effect, d.target) into receiver;
  if found then
    perform wake_receivers_1(ledger, array[receiver]);
  end if;
  return row('done', current_version)::retry_outcome_1;
end
$function$;

CREATE OR REPLACE FUNCTION public.retry_deliveries_1(ledger bigint, now timestamp with time zone, piece integer, most_attempts integer, out_of_use text[])
 RETURNS bigint
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  request delivery_retry;
  handles text[];
  last bigint;
  receivers text[];
begin
  select * into request from delivery_retry r where r.ledger_id = ledger order by r.worked limit 1 for update;
  if not found then
    return null;
  end if;
  if request.owner = 'effect' then
    select array_agg(p.handle), max(p.seq) into handles, last from (
      select d.handle, d.seq from delivery d
      where d.ledger_id = ledger and d.effect = request.id and d.seq > request.reached and d.seq <= request.until
      order by d.seq limit piece) p;
  else
    select array_agg(p.handle), max(p.seq) into handles, last from (
      select d.handle, d.seq from delivery d
      where d.ledger_id = ledger and d.bridge = request.id and d.seq > request.reached and d.seq <= request.until
      order by d.seq limit piece) p;
  end if;
  if coalesce(cardinality(handles), 0) = piece then
    update delivery_retry r set reached = last, worked = now
    where r.ledger_id = ledger and r.owner = request.owner and r.id = request.id and r.slot = request.slot;
  else
    delete from delivery_retry r
    where r.ledger_id = ledger and r.owner = request.owner and r.id = request.id and r.slot = request.slot;
  end if;
  with resent as (
    update delivery d set status = 'pending', tries = 0, due = now, aside = null
    where d.ledger_id = ledger and d.handle = any (handles)
      and is_resendable_1(ledger, d.effect, d.status, d.attempts, most_attempts, out_of_use)
      and (request.since is null or coalesce(d.attempted, d.moment) >= request.since) and is_in_domains_1(d.effect_domain, request.domains)
    returning coalesce(d.effect, d.target) as receiver
  )
  select array_agg(receiver) into receivers from resent;
  perform wake_receivers_1(ledger, receivers);
  return coalesce(cardinality(receivers), 0);
end
$function$;

CREATE OR REPLACE FUNCTION public.set_deliveries_aside_1(ledger bigint, queue text, now timestamp with time zone, running text[], first_delay integer, rests integer, at_once integer)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.settle_batch_1(ledger bigint, holder text, lease integer, last timestamp with time zone, writes store_write_1[], documents text[], judged_data text[], bodies text[], earlier store_earlier_1[], earlier_bodies text[], unregistered store_unregistered_1[], needs store_needed_1[], deliveries store_delivery_1[], events text[], moment timestamp with time zone, balances settle_balance_1[], entries settle_entry_1[], limits settle_limit_1[], limit_bodies text[], opened settle_open_1[], states text[], closed text[])
 RETURNS settle_outcome_1
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  this_moment constant timestamptz := clock_timestamp();
  is_unchanged boolean := true;
  stored store_outcome_1;
  opening settle_open_1;
  b settle_balance_1;
  l settle_limit_1;
  version bigint;
  luid text;
begin
  if holder is not null then
    update home h set until = this_moment + lease * interval '1 millisecond', moment = greatest(h.moment, last)
    where h.ledger_id = ledger and h.holder = settle_batch_1.holder;
    if not found then
      return row(false, false, array(select 'blocked' from unnest(writes)), 0)::settle_outcome_1;
    end if;
  end if;

  -- If anything has changed, this block is rolled back (CS001), and variables keep their values. The renewed lease of the home and
  -- its moment are kept.
  begin
    if cardinality(needs) > 0 then
      is_unchanged := cardinality(unmet_needs_1(ledger, needs)) = 0;
    end if;
    if cardinality(opened) + cardinality(closed) > 0 then
      -- In the order in which writes that wake them lock them.
      perform from open_intent i
      where i.ledger_id = ledger and i.luid = any (array(select op.luid from unnest(opened) op) || closed)
      order by i.luid for no key update;
    end if;
    for n in 1 .. cardinality(opened) loop
      opening := opened[n];
      if opening.was > 0 then
        -- A report that came meanwhile has made it due again. least ignores nulls: one that waits for somebody is not due.
        update open_intent i set version = opening.was + 1, deadline = opening.deadline, stage = opening.stage, uses = opening.uses,
          state = states[n], mac = opening.mac,
          due = case
            when i.due is distinct from opening.was_due then i.due
            when opening.due is not null then least(opening.due, this_moment) end
        where i.ledger_id = ledger and i.luid = opening.luid and i.version = opening.was;
        is_unchanged := is_unchanged and found;
      end if;
    end loop;
    if cardinality(closed) > 0 then
      delete from open_intent o where o.ledger_id = ledger and o.luid = any (closed);
    end if;

    stored := store_batch_1(
      ledger => ledger, writes => writes, documents => documents, judged_data => judged_data, bodies => bodies,
      earlier => earlier, earlier_bodies => earlier_bodies, unregistered => unregistered,
      deliveries => deliveries, events => events, clock => moment);
    if not is_unchanged or 'done' <> any (stored.results) then
      raise sqlstate 'CS001';
    end if;
    -- After the writes: of an intent that another process has stored, the handle is found to be taken.
    insert into open_intent (ledger_id, luid, thread, version, due, deadline, stage, uses, state, mac)
    select ledger, o.luid, o.thread, 1, case when o.due is not null then least(o.due, this_moment) end, o.deadline, o.stage, o.uses,
      o.state, o.mac
    from unnest(opened, states) as o (luid, thread, was, was_due, due, deadline, stage, uses, mac, state) where o.was = 0;

    foreach b in array balances loop
      if b.version = b.was then
        -- One that was only read stays as it is until the transaction ends.
        select c.version into version from balance c
        where c.ledger_id = ledger and c.wallet = b.wallet and c.symbol = b.symbol for no key update;
        if coalesce(version, 0) <> b.was then
          raise sqlstate 'CS001';
        end if;
      elsif b.was = 0 then
        insert into balance (ledger_id, wallet, symbol, version, available, available_luid, available_moment, available_changed,
          reserved, reserved_luid, reserved_moment, reserved_changed)
        values (ledger, b.wallet, b.symbol, b.version, b.available, b.available_luid, b.available_moment, b.available_changed,
          b.reserved, b.reserved_luid, b.reserved_moment, b.reserved_changed);
      else
        -- The available row keeps its luid; the reserved one may be new.
        update balance c set version = b.version, available = b.available, available_moment = b.available_moment,
          available_changed = b.available_changed, reserved = b.reserved, reserved_luid = b.reserved_luid,
          reserved_moment = b.reserved_moment, reserved_changed = b.reserved_changed
        where c.ledger_id = ledger and c.wallet = b.wallet and c.symbol = b.symbol and c.version = b.was;
        if not found then
          raise sqlstate 'CS001';
        end if;
      end if;
    end loop;

    insert into entry (ledger_id, wallet, symbol, version, intent, change, available_by, reserved_by, available, reserved, moment)
    select ledger, e.wallet, e.symbol, e.version, e.intent, e.change, e.available_by, e.reserved_by, e.available, e.reserved, e.moment
    from unnest(entries) e;

    for n in 1 .. cardinality(limits) loop
      l := limits[n];
      -- A limit is in force as long as its symbol is.
      select c.version, c.luid into version, luid from wallet_limit c
      where c.ledger_id = ledger and c.wallet = l.wallet and c.symbol = l.symbol and c.metric = l.metric
        and exists (select from record s where s.ledger_id = ledger and s.luid = c.symbol_luid)
      for no key update of c;
      if coalesce(version, 0) <> l.was or luid <> l.luid then
        raise sqlstate 'CS001';
      end if;
      if l.was = 0 and l.version > 0 then
        -- The symbol cannot be dropped meanwhile, so its handle names one record.
        insert into wallet_limit (ledger_id, wallet, symbol, symbol_luid, metric, luid, version, amount, day, used, body)
        values (ledger, l.wallet, l.symbol,
          (select s.luid from record s where s.ledger_id = ledger and s.kind = 'symbol' and s.handle = l.symbol),
          l.metric, l.luid, l.version, l.amount, l.day, l.used, limit_bodies[n]);
      elsif l.version > l.was then
        update wallet_limit c set version = l.version, amount = l.amount, day = l.day, used = l.used, body = limit_bodies[n]
        where c.ledger_id = ledger and c.wallet = l.wallet and c.symbol = l.symbol and c.metric = l.metric and c.luid = l.luid;
      end if;
    end loop;
    if cardinality(writes) = 0 and cardinality(events) > 0 then
      -- Bytes are counted with the leaves of writes. Without a write, those of calls are counted here: last, since the sealer locks
      -- this row.
      insert into storage as had (ledger_id, bytes)
      select ledger, sum(512 + octet_length(event)) from unnest(events) event
      on conflict (ledger_id) do update set bytes = had.bytes + excluded.bytes;
    end if;
    return row(true, true, stored.results, stored.version)::settle_outcome_1;
  exception when sqlstate 'CS001' then
    return row(false, true,
      array(
        select case
          when r.result = 'done' then 'blocked'
          -- Both writes with this handle may be in the batch, and none is stored: they are tried again.
          when r.result = 'duplicated' and not exists (
            select from record taken where taken.ledger_id = ledger and taken.kind = w.kind and taken.handle = w.handle) then 'blocked'
          else r.result end
        from unnest(stored.results) with ordinality as r (result, ord) join unnest(writes) w using (ord) order by r.ord
      ),
      stored.version)::settle_outcome_1;
  end;
end
$function$;

CREATE OR REPLACE FUNCTION public.settle_deliveries_1(ledger bigint, settled settled_delivery_1[], added_proofs text[], first_delay integer, greatest_delay integer, rests integer, at_once integer)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.store_batch_1(ledger bigint, writes store_write_1[], documents text[], judged_data text[], bodies text[], earlier store_earlier_1[] DEFAULT '{}'::store_earlier_1[], earlier_bodies text[] DEFAULT '{}'::text[], unregistered store_unregistered_1[] DEFAULT '{}'::store_unregistered_1[], needs store_needed_1[] DEFAULT '{}'::store_needed_1[], secrets store_secret_1[] DEFAULT '{}'::store_secret_1[], sealed_values bytea[] DEFAULT '{}'::bytea[], deliveries store_delivery_1[] DEFAULT '{}'::store_delivery_1[], events text[] DEFAULT '{}'::text[], clock timestamp with time zone DEFAULT NULL::timestamp with time zone, kinds text[] DEFAULT '{}'::text[], behind integer DEFAULT 0)
 RETURNS store_outcome_1
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  -- Bytes of a row beside its texts; those of the function stored_bytes.
  row_bytes constant int := 512;
  rules_version bigint;
  rules_turn store_write_1;
  newest timestamptz;
  unmet int[] := '{}';
  valid store_write_1[];
  reused int[];
  stored int[] := '{}';
  luids text[];
  candidates store_write_1[];
  done store_write_1[];
  one store_write_1;
  link_order bigint;
  -- Volatile functions stand outside of updates, so that the tables can be distributed.
  this_moment constant timestamptz := clock_timestamp();
  freed bigint := 0;
  added bigint := 0;
  is_taken boolean;
begin
  if exists (select from unnest(writes) w where w.bumps_rules) then
    -- Two that were decided on the same version could each take away what the other rests on: they take turns.
    select l.version into rules_version from ledger l where l.id = ledger for no key update;
    select * into rules_turn from unnest(writes) w where w.bumps_rules and w.version = rules_version order by w.ord limit 1;
  else
    select l.version into rules_version from ledger l where l.id = ledger;
  end if;
  if cardinality(kinds) > 0 then
    newest := newest_moment_1(ledger, kinds);
  end if;
  if cardinality(needs) > 0 then
    unmet := unmet_needs_1(ledger, needs);
  end if;
  if cardinality(unregistered) > 0 then
    unmet := unmet || array(
      select u.ord from unnest(unregistered) u
      where (select count(*) from record r
        where r.ledger_id = ledger and r.kind in ('signer', 'signer-factor') and r.link = u.public) > 0
    );
  end if;

  valid := array(
    select w from unnest(writes) w
    where w.version = rules_version and w.ord <> all (unmet)
      -- A create takes nothing from other writes, so creates share a turn.
      and (not w.bumps_rules or w.ord = rules_turn.ord or (w.action = 'create' and rules_turn.action = 'create'))
      -- One whose clock is behind what is stored is decided anew. One that has waited for its commit is not.
      and (newest is null or w.is_fixed or greatest(w.moment, clock) >= newest - behind * interval '1 millisecond')
    order by w.ord
  );
  reused := array(
    select w.ord from unnest(valid) w
    where exists (
        select from used_proof u where u.ledger_id = ledger and u.digest = any (w.proofs) and u.luid <> w.luid)
      or exists (select from erased_proof e where e.ledger_id = ledger and e.digest = any (w.veiled))
  );
  candidates := valid;
  if cardinality(reused) > 0 then
    candidates := array(select w from unnest(valid) w where w.ord <> all (reused));
  end if;

  for one in select * from unnest(candidates) d where d.wakes order by d.luid collate "C" loop
    perform from open_intent o where o.ledger_id = ledger and o.luid = one.luid for no key update;
  end loop;
  if exists (select from unnest(candidates) w where w.action = 'create') then
    with created as (
      insert into record (ledger_id, kind, handle, luid, change, hash, status, moment, domain, link, link_proven, document, judged)
      select ledger, w.kind, w.handle, w.luid, w.change, w.hash, w.status, w.moment, w.domain, w.link, w.proven,
        documents[w.ord]::jsonb, nullif(judged_data[w.ord], '')
      from unnest(candidates) w where w.action = 'create' order by w.ord
      on conflict do nothing
      returning luid
    )
    select array_agg(luid) into luids from created;
    stored := array(select w.ord from unnest(candidates) w where w.action = 'create' and w.luid = any (luids));
  end if;
  for one in select * from unnest(candidates) d where d.action <> 'create' order by d.ord loop
    case one.action
    when 'update' then
      -- A key stays proven for as long as the record keeps it, and its order dates from when the record took it.
      link_order := null;
      if one.link is not null then
        select nextval('record_seq_seq') into link_order from record r
        where r.ledger_id = ledger and r.luid = one.luid and r.change = one.was and r.link is distinct from one.link;
      end if;
      update record r set handle = one.handle, change = one.change, hash = one.hash, status = one.status, moment = one.moment,
        domain = one.domain, link = one.link, document = documents[one.ord]::jsonb, judged = nullif(judged_data[one.ord], ''),
        link_proven = one.proven or (r.link_proven and coalesce(r.link = one.link, false)),
        link_since = coalesce(link_order, r.link_since)
      where r.ledger_id = ledger and r.luid = one.luid and r.change = one.was;
    when 'drop' then
      delete from record r where r.ledger_id = ledger and r.luid = one.luid and r.change = one.was;
    when 'erase' then
      -- A final record is deleted from the table record.
      delete from record r
      where r.ledger_id = ledger and r.luid = one.luid and r.change = one.was and r.status = any (one.final)
        and not exists (select from open_intent o where o.ledger_id = ledger and o.luid = one.luid);
      if not found then
        -- A dropped one is erased once: the key of change keeps two apart.
        perform from change c
        where c.ledger_id = ledger and c.luid = one.luid and c.change = one.was and c.kind = one.kind and c.action = 'drop';
      end if;
    end case;
    if found then
      stored := stored || one.ord;
    end if;
    if found and one.action = 'drop' then
      with forgotten as (
        delete from secret s where s.ledger_id = ledger and s.luid = one.luid returning s.sealed
      )
      select freed + coalesce(sum(row_bytes + octet_length(sealed)), 0) into freed from forgotten;
    end if;
  end loop;

  done := array(select w from unnest(candidates) w where w.ord = any (stored));
  if cardinality(done) > 0 then
    -- A create that stores later versions at once is followed by updates.
    insert into change (ledger_id, luid, change, kind, action, moment, hash, body, mac, beside)
    select ledger, w.luid, w.change, w.kind, case when w.change > w.was + 1 then 'update' else w.action end,
      w.moment, w.hash, bodies[w.ord], w.mac, nullif(w.beside, 0)
    from unnest(done) w;
    if cardinality(earlier) > 0 then
      insert into change (ledger_id, luid, change, kind, action, moment, hash, body, mac, cut)
      select ledger, w.luid, e.change, w.kind, e.action, w.moment, w.hash, e.body, e.mac, e.cut
      from unnest(earlier, earlier_bodies) as e (ord, change, action, cut, mac, body) join unnest(done) w on w.ord = e.ord;
    end if;

    -- When another transaction has used a proof for another record meanwhile, the null violates its constraint, and the batch
    -- is rolled back. In order, so that two batches with the same proofs avoid a deadlock.
    insert into used_proof (ledger_id, digest, luid)
    select ledger, digest, w.luid from unnest(done) w, unnest(w.proofs) digest order by digest
    on conflict (ledger_id, digest) do update set luid = null where used_proof.luid <> excluded.luid;
  end if;

  for one in select * from unnest(done) d where d.wakes loop
    -- Due at once, also where the moment is ahead of the clock; and at another moment than before, which whoever decides on the
    -- intent meanwhile will see.
    update open_intent o set due = greatest(least(one.moment, this_moment), o.due + interval '1 microsecond')
    where o.ledger_id = ledger and o.luid = one.luid;
  end loop;

  if cardinality(secrets) > 0 then
    -- A name that was kept before takes the new value.
    select freed + coalesce(sum((
      select row_bytes + octet_length(k.sealed) from secret k
      where k.ledger_id = ledger and k.luid = w.luid and k.name = s.name)), 0) into freed
    from unnest(secrets) s join unnest(done) w on w.ord = s.ord;
    with kept as (
      insert into secret (ledger_id, luid, name, sealed)
      select ledger, w.luid, s.name, s.sealed
      from unnest(secrets, sealed_values) as s (ord, name, sealed) join unnest(done) w on w.ord = s.ord
      on conflict (ledger_id, luid, name) do update set sealed = excluded.sealed
      returning sealed
    )
    select added + coalesce(sum(row_bytes + octet_length(sealed)), 0) into added from kept;
  end if;

  if cardinality(deliveries) > 0 then
    -- Due at once, also where the moment is ahead of the clock.
    with queued as (
      insert into delivery (ledger_id, handle, purpose, entry, effect, effect_handle, effect_change, effect_domain,
        bridge, target, record, linked, mac, moment, due, event)
      select ledger, d.handle, d.purpose, d.entry, d.effect, d.effect_handle, d.effect_change, d.effect_domain,
        d.bridge, d.target, d.record, d.linked, d.mac, d.moment, least(d.moment, this_moment), d.event
      from (
        select *, coalesce((writes[ord]).moment, clock) as moment
        from unnest(deliveries, events) with ordinality as x (ord, handle, purpose, entry, effect, effect_handle, effect_change,
          effect_domain, bridge, target, record, linked, mac, event, n)
      ) d
      where d.ord is null or d.ord = any (stored)
      order by d.n
      returning event, purpose
    )
    -- Those of events are among the bytes of their writes. Calls without a write are counted by whoever stores them.
    select added + coalesce(sum(row_bytes + octet_length(event)) filter (where purpose is not null), 0) into added from queued;
  end if;

  if cardinality(done) > 0 then
    -- The leaves of what was stored, in its order, for the sealer, and its bytes, which count for the quota of the ledger.
    insert into unsealed (ledger_id, luids, changes, leaves, bytes)
    select ledger, array_agg(w.luid order by w.ord), array_agg(w.change order by w.ord), array_agg(w.leaves order by w.ord),
      sum(w.bytes) + added - freed
    from unnest(done) w;
  end if;

  if exists (select from unnest(done) w where w.registers) then
    -- If a key moves to another record, caches still name the old one: the version rises.
    -- Of two concurrent transactions, the row lets the later one see the earlier.
    with registered as (
      insert into taken_key (ledger_id, public, times)
      select ledger, w.link, count(*) from unnest(done) w where w.registers group by w.link order by w.link
      on conflict (ledger_id, public) do update set times = taken_key.times + excluded.times
      returning times
    )
    select bool_or(times > 1) into is_taken from registered;
  end if;
  if is_taken or exists (select from unnest(done) w where w.bumps_rules) then
    update ledger l set version = l.version + 1 where l.id = ledger returning l.version into rules_version;
  end if;

  return row(
    array(
      select case
        when w.ord = any (stored) then 'done'
        when w.ord = any (reused) then 'reused'
        when w.action = 'create' and exists (select from unnest(valid) v where v.ord = w.ord) then 'duplicated'
        else 'stale' end
      from unnest(writes) w order by w.ord
    ),
    rules_version, newest)::store_outcome_1;
end
$function$;

CREATE OR REPLACE FUNCTION public.stored_bytes(ledger bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select ((select coalesce(sum(512 + coalesce(octet_length(body), 0) + coalesce(beside, 0)), 0) from change where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(event) + octet_length(proofs)), 0) from delivery where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(sealed)), 0) from secret where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(data)), 0) from request where ledger_id = ledger))::bigint
$function$;

CREATE OR REPLACE FUNCTION public.take_up_deliveries_1(ledger bigint, now timestamp with time zone, since timestamp with time zone, out_of_use text[], first_delay integer, greatest_delay integer, receivers integer, piece integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.unmet_needs_1(ledger bigint, needs store_needed_1[])
 RETURNS integer[]
 LANGUAGE plpgsql
AS $function$
begin
  return array(
    select n.ord from unnest(needs) n
    where not exists (
      select from record r
      where r.ledger_id = ledger and r.kind = n.kind and r.handle = n.handle
        and (n.luid is null or (r.luid = n.luid and r.change = n.change))
      for key share)
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.use_proofs_1(ledger bigint, luid text, proofs uuid[])
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  used bigint;
begin
  insert into used_proof (ledger_id, digest, luid)
  select ledger, proof, use_proofs_1.luid from unnest(proofs) proof order by proof
  on conflict (ledger_id, digest) do update set luid = null where used_proof.luid <> excluded.luid;
  get diagnostics used = row_count;
  return used = cardinality(proofs);
end
$function$;

CREATE OR REPLACE FUNCTION public.used_before_1(ledger bigint, luid text, proofs uuid[], veiled uuid[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
declare
  is_reused boolean;
begin
  select bool_or(u.luid <> used_before_1.luid) into is_reused
  from (
    select luid from used_proof where ledger_id = ledger and digest = any (proofs)
    union all
    select luid from erased_proof where ledger_id = ledger and digest = any (veiled)
  ) u;
  return case is_reused when true then 'reused' when false then 'repeated' end;
end
$function$;

CREATE OR REPLACE FUNCTION public.wake_receivers_1(ledger bigint, receivers text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from delivery_backlog q where q.ledger_id = ledger and q.receiver = any (receivers) and q.failures > 0
  order by q.receiver for no key update;
  update delivery_backlog q set failures = 0 where q.ledger_id = ledger and q.receiver = any (receivers) and q.failures > 0;
end
$function$;

create table balance (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  version bigint not null,
  available bigint not null,
  reserved bigint,
  available_luid text collate "C" not null,
  available_moment timestamp with time zone not null,
  available_changed boolean not null,
  reserved_luid text collate "C",
  reserved_moment timestamp with time zone,
  reserved_changed boolean
) with (fillfactor=50);

create table change (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null,
  kind text collate "C" not null,
  action text collate "C" not null,
  moment timestamp with time zone not null,
  hash text collate "C",
  body text,
  mac text collate "C",
  cut integer,
  beside integer
) with (toast_tuple_target=8160, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=100000, autovacuum_freeze_min_age=0);

create table delivery (
  ledger_id bigint not null,
  handle text collate "C" not null,
  seq bigint generated always as identity not null,
  effect text collate "C",
  effect_handle text collate "C",
  effect_change integer,
  effect_domain text collate "C",
  bridge text collate "C",
  target text collate "C" not null,
  record text collate "C",
  linked text collate "C",
  event text not null,
  mac text,
  moment timestamp with time zone not null,
  status text collate "C" default 'pending'::text not null,
  attempts integer default 0 not null,
  tries integer default 0 not null,
  signed timestamp with time zone,
  attempted timestamp with time zone,
  due timestamp with time zone,
  proofs text default ''::text not null,
  purpose text collate "C",
  entry text collate "C",
  given_up text,
  given_up_mac text,
  aside timestamp with time zone
) with (fillfactor=70);

create table delivery_backlog (
  ledger_id bigint not null,
  receiver text collate "C" not null,
  failures integer not null,
  step integer not null,
  allowed integer not null,
  due timestamp with time zone
);

create table delivery_retry (
  ledger_id bigint not null,
  owner text collate "C" not null,
  id text collate "C" not null,
  slot integer not null,
  requested timestamp with time zone not null,
  since timestamp with time zone,
  domains text[] collate "C",
  reached bigint not null,
  until bigint not null,
  worked timestamp with time zone not null
);

create table deployment (
  name text not null,
  value text not null
);

create table entry (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  version bigint not null,
  intent text collate "C" not null,
  change integer not null,
  available_by bigint not null,
  reserved_by bigint not null,
  available bigint not null,
  reserved bigint,
  moment timestamp with time zone not null
) with (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=100000, autovacuum_freeze_min_age=0);

create table erased_leaf (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null,
  leaf text not null
);

create table erased_proof (
  ledger_id bigint not null,
  digest uuid not null,
  luid text collate "C" not null
);

create table home (
  ledger_id bigint not null,
  holder text collate "C" not null,
  until timestamp with time zone not null,
  moment timestamp with time zone not null
);

create table invitation (
  id bigint generated always as identity not null,
  hash bytea not null,
  note text not null,
  made timestamp with time zone default date_trunc('milliseconds'::text, clock_timestamp()) not null,
  expires timestamp with time zone not null,
  used timestamp with time zone,
  luid text
);

create table kysely_migration (
  name character varying(255) not null,
  "timestamp" character varying(255) not null
);

create table lease (
  ledger_id bigint not null,
  worker text collate "C" not null,
  unit text collate "C" not null,
  holder text,
  until timestamp with time zone not null,
  failures integer not null
) with (fillfactor=50);

create table ledger (
  id bigint generated always as identity not null,
  handle text collate "C" not null,
  luid text collate "C" not null,
  version bigint default 1 not null,
  owners text[] not null,
  suspended text collate "C",
  suspended_why text,
  suspended_since timestamp with time zone
);

create table log (
  ledger_id bigint not null,
  generation integer not null,
  origin text collate "C" not null,
  size bigint not null,
  edge bytea not null,
  checkpoint text,
  sealed timestamp with time zone,
  mac text,
  cosigned text,
  unwitnessed timestamp with time zone,
  predecessor text,
  stopped text
) with (fillfactor=50);

create table log_backfill (
  ledger_id bigint not null,
  luid text collate "C" not null,
  change integer not null
);

create table log_leaf (
  ledger_id bigint not null,
  first bigint not null,
  change integer not null,
  luid text collate "C" not null,
  commitments bytea not null,
  salts bytea
);

create table log_tile (
  ledger_id bigint not null,
  level smallint not null,
  n bigint not null,
  hashes bytea not null
);

create table log_witness (
  ledger_id bigint not null,
  witness text collate "C" not null,
  size bigint not null,
  cosignature text not null
);

create table master_key (
  number integer not null,
  key_check text collate "C" not null,
  is_open boolean default true not null
);

create table open_intent (
  ledger_id bigint not null,
  luid text collate "C" not null,
  thread text collate "C" not null,
  version integer not null,
  due timestamp with time zone,
  deadline timestamp with time zone,
  stage text collate "C" not null,
  uses text[] not null,
  state text not null,
  mac text collate "C" not null
);

create table process (
  name text collate "C" not null,
  host text not null,
  build text not null,
  keys text[] not null,
  sealing integer not null,
  seen timestamp with time zone default clock_timestamp() not null,
  is_read_only boolean default false not null,
  schema text collate "C" default '0000'::text not null,
  is_drained boolean default false not null
);

create table record (
  ledger_id bigint not null,
  kind text collate "C" not null,
  handle text collate "C" not null,
  luid text collate "C" not null,
  change integer not null,
  seq bigint generated always as identity not null,
  hash text collate "C" not null,
  status text collate "C",
  moment timestamp with time zone not null,
  domain text collate "C",
  link text collate "C",
  document jsonb not null,
  link_proven boolean default false not null,
  link_since bigint,
  judged text
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);

create table request (
  ledger_id bigint not null,
  handle text collate "C" not null,
  moment timestamp with time zone not null,
  sort smallint not null,
  record text collate "C" not null,
  action text collate "C" not null,
  source text collate "C",
  status text collate "C" not null,
  data text not null,
  result text not null
);

create table schedule (
  ledger_id bigint not null,
  policy text collate "C" not null,
  version bigint not null,
  hash text collate "C",
  through timestamp with time zone,
  next_at timestamp with time zone,
  due timestamp with time zone
);

create table secret (
  ledger_id bigint not null,
  luid text collate "C" not null,
  name text collate "C" not null,
  sealed bytea not null
);

create table storage (
  ledger_id bigint not null,
  bytes bigint not null,
  quota bigint
);

create table taken_key (
  ledger_id bigint not null,
  public text collate "C" not null,
  times bigint not null
);

create table unsealed (
  ledger_id bigint not null,
  id bigint generated always as identity not null,
  moment timestamp with time zone default clock_timestamp() not null,
  luids text[] not null,
  changes integer[] not null,
  leaves text[] not null,
  bytes bigint default 0 not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0);

create table used_proof (
  ledger_id bigint not null,
  digest uuid not null,
  luid text collate "C" not null
);

create table used_token (
  ledger text collate "C" not null,
  use text collate "C" not null,
  expires_at timestamp with time zone not null
);

create table wallet_limit (
  ledger_id bigint not null,
  wallet text collate "C" not null,
  symbol text collate "C" not null,
  metric text collate "C" not null,
  version bigint not null,
  amount bigint not null,
  day date,
  used bigint default 0 not null,
  body text not null,
  symbol_luid text collate "C" not null,
  luid text collate "C" not null
);

alter table change alter column ledger_id set statistics 25;

alter table change alter column luid set statistics 25;

alter table change alter column change set statistics 25;

alter table change alter column kind set statistics 25;

alter table change alter column action set statistics 25;

alter table change alter column moment set statistics 0;

alter table change alter column hash set statistics 0;

alter table change alter column body set statistics 0;

alter table change alter column mac set statistics 0;

alter table change alter column cut set statistics 25;

alter table delivery alter column linked set statistics 0;

alter table delivery alter column event set statistics 0;

alter table delivery alter column proofs set statistics 0;

alter table delivery alter column given_up set statistics 0;

alter table entry alter column ledger_id set statistics 25;

alter table entry alter column wallet set statistics 25;

alter table entry alter column symbol set statistics 25;

alter table entry alter column version set statistics 25;

alter table entry alter column intent set statistics 0;

alter table entry alter column change set statistics 0;

alter table entry alter column available_by set statistics 0;

alter table entry alter column reserved_by set statistics 0;

alter table entry alter column available set statistics 0;

alter table entry alter column reserved set statistics 0;

alter table entry alter column moment set statistics 0;

alter table erased_leaf alter column leaf set statistics 0;

alter table log_leaf alter column commitments set statistics 0;

alter table log_leaf alter column salts set statistics 0;

alter table open_intent alter column state set statistics 0;

alter table record alter column hash set statistics 0;

alter table record alter column document set statistics 0;

alter table record alter column judged set statistics 0;

alter table schedule alter column hash set statistics 0;

alter table unsealed alter column leaves set statistics 0;

alter table balance add constraint balance_available_check CHECK ((abs(available) <= '9007199254740991'::bigint));

alter table balance add constraint balance_pkey PRIMARY KEY (ledger_id, wallet, symbol);

alter table balance add constraint balance_reserved_check CHECK (((reserved >= 0) AND (reserved <= '9007199254740991'::bigint)));

alter table balance add constraint balance_version_check CHECK ((version >= 1));

alter table change add constraint change_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'drop'::text, 'erase'::text])));

alter table change add constraint change_change_check CHECK ((change >= 1));

alter table change add constraint change_cut_check CHECK ((cut >= 0));

alter table change add constraint change_is_whole_or_erased CHECK (((num_nulls(body, hash) = ANY (ARRAY[0, 2])) AND ((body IS NOT NULL) OR ((mac IS NULL) AND (cut IS NULL) AND (action <> 'erase'::text)))));

alter table change add constraint change_pkey PRIMARY KEY (ledger_id, luid, change);

alter table delivery add constraint delivery_pkey PRIMARY KEY (ledger_id, handle);

alter table delivery add constraint delivery_purpose_check CHECK ((purpose = ANY (ARRAY['prepare'::text, 'commit'::text, 'abort'::text, 'status'::text])));

alter table delivery add constraint delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text, 'erased'::text])));

alter table delivery_backlog add constraint delivery_backlog_pkey PRIMARY KEY (ledger_id, receiver);

alter table delivery_retry add constraint delivery_retry_owner_check CHECK ((owner = ANY (ARRAY['effect'::text, 'bridge'::text])));

alter table delivery_retry add constraint delivery_retry_pkey PRIMARY KEY (ledger_id, owner, id, slot);

alter table deployment add constraint deployment_pkey PRIMARY KEY (name);

alter table entry add constraint entry_pkey PRIMARY KEY (ledger_id, wallet, symbol, version);

alter table erased_leaf add constraint erased_leaf_pkey PRIMARY KEY (ledger_id, luid, change);

alter table erased_proof add constraint erased_proof_pkey PRIMARY KEY (ledger_id, digest);

alter table home add constraint home_pkey PRIMARY KEY (ledger_id);

alter table invitation add constraint invitation_hash_key UNIQUE (hash);

alter table invitation add constraint invitation_pkey PRIMARY KEY (id);

alter table kysely_migration add constraint kysely_migration_pkey PRIMARY KEY (name);

alter table lease add constraint lease_pkey PRIMARY KEY (ledger_id, worker, unit);

alter table ledger add constraint ledger_handle_key UNIQUE (handle);

alter table ledger add constraint ledger_luid_key UNIQUE (luid);

alter table ledger add constraint ledger_pkey PRIMARY KEY (id);

alter table ledger add constraint ledger_suspended_check CHECK ((suspended = ANY (ARRAY['writes'::text, 'all'::text])));

alter table ledger add constraint ledger_suspension_is_whole CHECK ((num_nulls(suspended, suspended_why, suspended_since) = ANY (ARRAY[0, 3])));

alter table log add constraint log_generation_check CHECK ((generation >= 1));

alter table log add constraint log_pkey PRIMARY KEY (ledger_id);

alter table log add constraint log_size_check CHECK ((size >= 0));

alter table log_backfill add constraint log_backfill_pkey PRIMARY KEY (ledger_id);

alter table log_leaf add constraint log_leaf_pkey PRIMARY KEY (ledger_id, luid, change);

alter table log_tile add constraint log_tile_pkey PRIMARY KEY (ledger_id, level, n);

alter table log_witness add constraint log_witness_pkey PRIMARY KEY (ledger_id, witness);

alter table master_key add constraint master_key_key_check_key UNIQUE (key_check);

alter table master_key add constraint master_key_number_check CHECK (((number >= 1) AND (number <= 255)));

alter table master_key add constraint master_key_pkey PRIMARY KEY (number);

alter table open_intent add constraint open_intent_pkey PRIMARY KEY (ledger_id, luid);

alter table process add constraint process_pkey PRIMARY KEY (name);

alter table record add constraint record_ledger_id_handle_kind_key UNIQUE (ledger_id, handle, kind);

alter table record add constraint record_pkey PRIMARY KEY (ledger_id, luid);

alter table request add constraint request_pkey PRIMARY KEY (ledger_id, handle);

alter table schedule add constraint schedule_pkey PRIMARY KEY (ledger_id, policy);

alter table secret add constraint secret_pkey PRIMARY KEY (ledger_id, luid, name);

alter table storage add constraint storage_pkey PRIMARY KEY (ledger_id);

alter table storage add constraint storage_quota_check CHECK ((quota >= 0));

alter table taken_key add constraint taken_key_pkey PRIMARY KEY (ledger_id, public);

alter table unsealed add constraint unsealed_pkey PRIMARY KEY (ledger_id, id);

alter table used_proof add constraint used_proof_pkey PRIMARY KEY (ledger_id, digest);

alter table used_token add constraint used_token_pkey PRIMARY KEY (ledger, use);

alter table wallet_limit add constraint wallet_limit_amount_check CHECK ((abs(amount) <= '9007199254740991'::bigint));

alter table wallet_limit add constraint wallet_limit_metric_check CHECK ((metric = ANY (ARRAY['minBalance'::text, 'maxBalance'::text, 'dailyAmount'::text, 'dailyCount'::text])));

alter table wallet_limit add constraint wallet_limit_pkey PRIMARY KEY (ledger_id, wallet, symbol, symbol_luid, metric);

alter table wallet_limit add constraint wallet_limit_version_check CHECK ((version >= 1));

CREATE INDEX delivery_aside ON public.delivery USING btree (ledger_id, COALESCE(effect, target), COALESCE(attempted, moment)) WHERE ((aside IS NOT NULL) AND (due IS NULL) AND (status = ANY (ARRAY['pending'::text, 'failed'::text])));

CREATE INDEX delivery_aside_since ON public.delivery USING btree (ledger_id, COALESCE(effect, target), aside) WHERE ((aside IS NOT NULL) AND (due IS NULL) AND (status = ANY (ARRAY['pending'::text, 'failed'::text])));

CREATE INDEX delivery_backlog_due ON public.delivery_backlog USING btree (ledger_id, due) WHERE (due IS NOT NULL);

CREATE INDEX delivery_bridge ON public.delivery USING btree (ledger_id, bridge, seq) WHERE (bridge IS NOT NULL);

CREATE INDEX delivery_calls_due ON public.delivery USING btree (ledger_id, target, due) WHERE ((due IS NOT NULL) AND (purpose IS NOT NULL));

CREATE INDEX delivery_due ON public.delivery USING btree (ledger_id, target, due) WHERE (due IS NOT NULL);

CREATE INDEX delivery_effect ON public.delivery USING btree (ledger_id, effect, seq) WHERE (effect IS NOT NULL);

CREATE INDEX delivery_given_up ON public.delivery USING btree (ledger_id, linked) WHERE (given_up IS NOT NULL);

CREATE INDEX delivery_retry_turn ON public.delivery_retry USING btree (ledger_id, worked);

CREATE INDEX ledger_owners ON public.ledger USING gin (owners);

CREATE UNIQUE INDEX log_leaf_first ON public.log_leaf USING btree (ledger_id, first);

CREATE INDEX log_unwitnessed ON public.log USING btree (ledger_id) WHERE (unwitnessed IS NOT NULL);

CREATE INDEX open_intent_deadline ON public.open_intent USING btree (ledger_id, deadline) WHERE (deadline IS NOT NULL);

CREATE INDEX open_intent_due ON public.open_intent USING btree (ledger_id, due) WHERE (due IS NOT NULL);

CREATE INDEX open_intent_thread ON public.open_intent USING btree (ledger_id, thread);

CREATE INDEX open_intent_uses ON public.open_intent USING gin (uses);

CREATE INDEX record_document ON public.record USING gin (document jsonb_path_ops) WITH (fastupdate=off);

CREATE INDEX record_domain ON public.record USING btree (ledger_id, domain, ((kind || ''::text)), moment DESC, seq) WHERE (domain IS NOT NULL);

CREATE INDEX record_key ON public.record USING btree (ledger_id, link, link_proven DESC, COALESCE(link_since, seq)) WHERE ((kind = ANY (ARRAY['signer'::text, 'signer-factor'::text])) AND (link IS NOT NULL));

CREATE INDEX record_link ON public.record USING btree (ledger_id, link, kind) WHERE (link IS NOT NULL);

CREATE INDEX record_newest ON public.record USING btree (ledger_id, ((kind || ''::text)), moment DESC, seq);

CREATE INDEX record_schedule ON public.record USING btree (ledger_id, luid) WHERE ((kind = 'policy'::text) AND (((document -> ((ledger_id)::text || '/policy'::text)) -> 'data.schema'::text) @> '["schedule"]'::jsonb));

CREATE INDEX record_status ON public.record USING btree (ledger_id, "left"(status, 100), ((kind || ''::text)), moment DESC, seq);

CREATE INDEX request_listed ON public.request USING btree (ledger_id, moment, handle);

CREATE INDEX request_refused ON public.request USING btree (ledger_id, sort, moment, handle) WHERE (sort > 0);

CREATE INDEX used_token_expiry ON public.used_token USING btree (expires_at);

create view version as
 SELECT ledger_id,
    luid,
    change,
    kind,
    action,
    moment,
    hash,
    mac,
        CASE
            WHEN (cut IS NULL) THEN body
            ELSE (COALESCE("left"(( SELECT w.body
               FROM change w
              WHERE ((w.ledger_id = c.ledger_id) AND (w.luid = c.luid) AND (w.change > c.change) AND (w.cut IS NULL))
              ORDER BY w.change
             LIMIT 1), cut), ''::text) || body)
        END AS body
   FROM change c;

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON public.change FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

CREATE TRIGGER append_only_but_erasure BEFORE UPDATE ON public.change FOR EACH ROW EXECUTE FUNCTION refuse_rewriting_but_erasure();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

CREATE TRIGGER open_keys BEFORE INSERT OR UPDATE OF sealed ON public.secret FOR EACH ROW EXECUTE FUNCTION refuse_closed_key();
