-- A write: one change of one record. The texts of the write at position n are element n of the arrays beside.
create type store_write_1 as (
  -- Position in the batch, from 1.
  ord int,
  -- Version of the ledger's rules that it was decided on.
  version bigint,
  action text,
  kind text,
  handle text,
  luid text,
  -- Number of the change, and the one that the record must be at.
  change int,
  was int,
  moment timestamptz,
  -- Whether it is stored as of whatever moment.
  is_fixed boolean,
  hash text,
  status text,
  domain text,
  link text,
  -- Whether a proof of the record is by the key in link.
  proven boolean,
  -- Whether it gives the record a key that proofs and tokens can be made with.
  registers boolean,
  bumps_rules boolean,
  -- Whether the intent under way that it changes becomes due.
  wakes boolean,
  -- Statuses in which the record may be erased while it is in force.
  final text[],
  -- Uses of clients' proofs; and the same, with the name, as erased_proof has them.
  proofs uuid[],
  veiled uuid[],
  mac text,
  leaves text,
  -- What it adds to the quota of the ledger; of that, by how much what lists filter by is longer than the text.
  bytes int,
  beside int
);

-- A version that is stored before the one of its write; its text is cut (decision 0026).
create type store_earlier_1 as (ord int, change int, action text, cut int, mac text);

-- A key that the write at that position assumes to be unregistered.
create type store_unregistered_1 as (ord int, public text);

-- A record that must exist for the write at that position; in that version, where luid and change are given.
create type store_needed_1 as (ord int, kind text, handle text, luid text, change int);

-- A secret of the write at that position; its sealed value stands beside.
create type store_secret_1 as (ord int, name text);

-- A delivery, or a call of a bridge, which belongs to no write.
create type store_delivery_1 as (
  ord int, handle text, purpose text, entry text, effect text, effect_handle text, effect_change int, effect_domain text,
  bridge text, target text, record text, linked text, mac text
);

-- The results of a batch by position, the newest version of the ledger's rules (a retry on an older one would fail again),
-- and the last moment of the ledger before the batch, where it was asked for.
create type store_outcome_1 as (results text[], version bigint, newest timestamptz);

-- The last moment of a ledger: of each kind that of the newest record, and that of the last decision on an intent. Each is
-- found at one end of an index. Drops and erasures leave no record, and none of these moments.
create function newest_moment_1(ledger bigint, kinds text[]) returns timestamptz language plpgsql stable
set plan_cache_mode = force_generic_plan as $$
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
$$;

-- Positions of the needs that are not there. Those that are stay until the transaction ends.
create function unmet_needs_1(ledger bigint, needs store_needed_1[]) returns int[] language plpgsql as $$
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
$$;

-- Stores a batch of writes of one ledger. Each is stored if what it was decided on still holds (optimistic concurrency), or not;
-- one that fails leaves the others alone. Results:
--   done        stored
--   duplicated  the handle is taken
--   reused      a proof was used for another record; of a create the handle may be taken as well
--   stale       something that it was decided on has changed
--
-- Locks are taken in one order: the ledger where rules change, needed records, intents under way by luid, records. Drops of what
-- others may name lock their record first, and a key that moves raises the version last: a deadlock is answered as stale.
--
-- Rows that exist are looked up one by one. The plan of a join would last for as long as the connection, and while the statistics
-- are young a join reads all rows of the ledger.
create function store_batch_1(
  ledger bigint,
  writes store_write_1[],
  documents text[],
  -- Data that lists judge access by; empty for none.
  judged_data text[],
  bodies text[],
  earlier store_earlier_1[] default '{}',
  earlier_bodies text[] default '{}',
  unregistered store_unregistered_1[] default '{}',
  needs store_needed_1[] default '{}',
  secrets store_secret_1[] default '{}',
  sealed_values bytea[] default '{}',
  deliveries store_delivery_1[] default '{}',
  events text[] default '{}',
  -- The clock of the process. Calls are queued as of it.
  clock timestamptz default null,
  -- Kinds whose last moment is asked for, and by how many milliseconds a write may be behind it.
  kinds text[] default '{}',
  behind int default 0
) returns store_outcome_1 language plpgsql
-- PostgreSQL expects to gain from short arrays, and would plan statements anew for each batch.
set plan_cache_mode = force_generic_plan as $$
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
$$;
