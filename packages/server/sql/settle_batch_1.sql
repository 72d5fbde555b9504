-- A balance as a batch leaves it. Where version equals was, it was only read; was is 0 where there is none.
create type settle_balance_1 as (
  wallet text, symbol text, was bigint, version bigint,
  available bigint, available_luid text, available_moment timestamptz, available_changed boolean,
  reserved bigint, reserved_luid text, reserved_moment timestamptz, reserved_changed boolean
);

-- A movement: a row of the table entry.
create type settle_entry_1 as (
  wallet text, symbol text, version bigint, intent text, change int,
  available_by bigint, reserved_by bigint, available bigint, reserved bigint, moment timestamptz
);

-- A limit as a batch leaves it, with versions as those of balances.
create type settle_limit_1 as (
  wallet text, symbol text, metric text, luid text, was bigint, version bigint, amount bigint, day date, used bigint
);

-- An intent that stays open, as it is from now on; was is 0 for a new one.
create type settle_open_1 as (
  luid text, thread text, was int, was_due timestamptz, due timestamptz, deadline timestamptz, stage text, uses text[], mac text
);

-- Results of the writes as those of store_batch, and "blocked" for one with which nothing is wrong.
create type settle_outcome_1 as (is_stored boolean, is_home boolean, results text[], version bigint);

-- Stores decisions on intents: they rest on one another, so all of the batch is stored or nothing. It is not where something that
-- they rest on has changed: the ledger's home, balances, limits, intents under way, records that are needed, what
-- store_batch compares.
create function settle_batch_1(
  ledger bigint,
  -- The process that decided, for how long it stays the home (milliseconds), and the moment of its last decision; null where nothing
  -- was decided.
  holder text,
  lease int,
  last timestamptz,
  writes store_write_1[],
  documents text[],
  judged_data text[],
  bodies text[],
  earlier store_earlier_1[],
  earlier_bodies text[],
  unregistered store_unregistered_1[],
  -- Of the batch as a whole.
  needs store_needed_1[],
  -- Deliveries of the writes, and calls of bridges, which are queued as of the moment.
  deliveries store_delivery_1[],
  events text[],
  moment timestamptz,
  balances settle_balance_1[],
  entries settle_entry_1[],
  limits settle_limit_1[],
  limit_bodies text[],
  opened settle_open_1[],
  states text[],
  closed text[]
) returns settle_outcome_1 language plpgsql
set plan_cache_mode = force_generic_plan as $$
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
$$;
