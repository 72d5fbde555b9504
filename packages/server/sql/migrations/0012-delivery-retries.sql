-- Requests to send deliveries again (interface/effects#retry). A request may reach a million deliveries, so it is a row that a
-- worker works off in pieces, in the order of their creation, and deletes at the end.
--
-- An effect has as many slots as requests may wait for it (`retryLimits.waiting`): the key refuses one more.

create table delivery_retry (
  ledger_id bigint not null,
  -- Whose deliveries: those of an effect, by its luid, or to a bridge, by its handle.
  owner text collate "C" not null check (owner in ('effect', 'bridge')),
  id text collate "C" not null,
  slot integer not null,
  requested timestamptz not null,
  -- Only deliveries whose last attempt is not older; null for those of any age.
  since timestamptz,
  -- Only deliveries of effects in these domains, beside those of effects at large; null for those of any.
  domains text[] collate "C",
  -- Places of the last delivery that was reached, and of the last one to reach.
  reached bigint not null,
  until bigint not null,
  -- When it was worked on last: requests of one ledger take turns.
  worked timestamptz not null,
  primary key (ledger_id, owner, id, slot)
);
create index delivery_retry_turn on delivery_retry (ledger_id, worked);
