-- The outbox of events: one row for each delivery, inserted by the statement that stores the change (decision 0023). The
-- data of the event is made from `change` when it is delivered, so a row holds references and stays small.
--
-- `target` names the queue: the origin of a webhook, or the bridge. The partial index holds what waits, and nothing else.

create table delivery (
  ledger_id bigint not null,
  -- The last 17 characters of the luid.
  handle text collate "C" not null,
  -- Order of creation.
  seq bigint generated always as identity,
  -- The effect, and the version of it that was in force.
  effect text collate "C",
  effect_handle text collate "C",
  effect_change integer,
  -- The domain that the effect was in; null for one at large.
  effect_domain text collate "C",
  bridge text collate "C",
  target text collate "C" not null,
  -- What the event is about: kind of record and handle.
  record text collate "C",
  linked text collate "C",
  -- The event as references into the history (events/event.ts).
  event text not null,
  -- Authentication code of the columns above.
  mac text,
  moment timestamptz not null,
  status text collate "C" not null default 'pending'
    check (status in ('pending', 'running', 'delivered', 'failed', 'cancelled')),
  -- Attempts in all, and since the delivery was made or retried.
  attempts integer not null default 0,
  tries integer not null default 0,
  -- Moment of the event's proof, which is that of the first attempt.
  signed timestamptz,
  -- Moment of the last attempt, and when the next one is due; null when there will be none.
  attempted timestamptz,
  due timestamptz,
  -- Proofs of the attempts as JSON, without the brackets.
  proofs text not null default '',
  primary key (ledger_id, handle)
) with (fillfactor = 70);
create index delivery_due on delivery (ledger_id, target, due) where due is not null;
create index delivery_effect on delivery (ledger_id, effect, seq) where effect is not null;
create index delivery_bridge on delivery (ledger_id, bridge, seq) where bridge is not null;
