-- Requests to send deliveries again. Results:
--   done      stored
--   stale     the rules of the ledger have changed
--   missing   there is no such delivery
--   reused    a proof was used for another record
--   repeated  a proof was used for this record before, so the request was
--   full      as many wait as may

create type retry_outcome_1 as (outcome text, version bigint);

-- Whether a delivery is sent again when that is asked for: one that failed, waits or was given up, while its effect exists and is in
-- use. One that runs is left to its attempt. One that was attempted often enough stays as it is, which bounds its proofs.
create function is_resendable_1(ledger bigint, effect text, status text, attempts int, most_attempts int, out_of_use text[])
returns boolean language sql stable as $$
  select status in ('pending', 'failed', 'cancelled') and attempts < most_attempts
    and (effect is null or exists (
      select from record e where e.ledger_id = ledger and e.luid = effect and coalesce(e.status, '') <> all (out_of_use)))
$$;

-- Whether a delivery is of an effect at large, or of one in the domains; null means any.
create function is_in_domains_1(effect_domain text, domains text[]) returns boolean language sql immutable as $$
  select domains is null or effect_domain is null or effect_domain = any (domains)
$$;

-- What was used of the proofs of a request before: "reused", "repeated", or null for nothing.
create function used_before_1(ledger bigint, luid text, proofs uuid[], veiled uuid[]) returns text language plpgsql stable as $$
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
$$;

-- Marks proofs as used. Returns whether all of them are now: one that another transaction has used for this record meanwhile is not.
-- When it was used for another record, the null violates its constraint, and nothing of the request is stored.
create function use_proofs_1(ledger bigint, luid text, proofs uuid[]) returns boolean language plpgsql as $$
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
$$;

-- A receiver that rests has attempts made again: whoever asks for a retry expects one at once.
create function wake_receivers_1(ledger bigint, receivers text[]) returns void language plpgsql as $$
begin
  perform from delivery_backlog q where q.ledger_id = ledger and q.receiver = any (receivers) and q.failures > 0
  order by q.receiver for no key update;
  update delivery_backlog q set failures = 0 where q.ledger_id = ledger and q.receiver = any (receivers) and q.failures > 0;
end
$$;

-- Stores a request for the deliveries of an effect, by its luid, or to a bridge, by its handle.
create function request_retry_1(
  ledger bigint,
  version bigint,
  owner text,
  id text,
  luid text,
  proofs uuid[],
  veiled uuid[],
  now timestamptz,
  -- Only deliveries whose last attempt is not older; null for those of any age.
  since timestamptz,
  domains text[],
  -- How many may wait.
  waiting int
) returns retry_outcome_1 language plpgsql
set plan_cache_mode = force_generic_plan as $$
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
$$;

-- Makes one delivery due at once, whatever its age. An event that was delivered stays so; a call that was delivered to a bridge which
-- never reported is made again.
create function resend_delivery_1(
  ledger bigint,
  version bigint,
  owner text,
  id text,
  luid text,
  proofs uuid[],
  veiled uuid[],
  now timestamptz,
  handle text,
  domains text[],
  most_attempts int,
  out_of_use text[]
) returns retry_outcome_1 language plpgsql
set plan_cache_mode = force_generic_plan as $$
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
$$;

-- Works on the request of a ledger that has waited longest for it: makes the next deliveries due, and moves the request on past them, or
-- deletes it when there are no more. Returns how many are due now; null when no request waits.
create function retry_deliveries_1(ledger bigint, now timestamptz, piece int, most_attempts int, out_of_use text[]) returns bigint
language plpgsql
set plan_cache_mode = force_generic_plan as $$
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
$$;
