-- Further attempts of deliveries (interface/effects#further-attempts). A delivery that failed as often as its schedule says is
-- set aside: it is due at no time by itself, so a million of them cost the search for due ones nothing. The backlog of its receiver says
-- when the next of them is taken up.
--
-- A receiver is an effect, so that one with a dead endpoint holds up no other of the same origin; of calls for intents, their target.
-- An earlier release that runs beside this one may leave `aside` on a delivery that it ends, so the status counts as well.

-- Since when it is set aside; kept while it is taken up. Null before, and once it has ended or was retried.
alter table delivery add column aside timestamptz;
-- The one whose last attempt is longest ago is taken up first; those whose time is over are found by when they were set aside.
create index delivery_aside on delivery (ledger_id, coalesce(effect, target), coalesce(attempted, moment))
  where aside is not null and due is null and status in ('pending', 'failed');
create index delivery_aside_since on delivery (ledger_id, coalesce(effect, target), aside)
  where aside is not null and due is null and status in ('pending', 'failed');

-- A receiver of a ledger for which an attempt failed.
create table delivery_backlog (
  ledger_id bigint not null,
  receiver text collate "C" not null,
  -- Failed attempts since the last success.
  failures integer not null,
  -- Failed further attempts since the last success: the delay grows with them.
  step integer not null,
  -- How many more may be taken up at once: two for each that was delivered since.
  allowed integer not null,
  -- When the next are taken up; null where none is set aside.
  due timestamptz,
  primary key (ledger_id, receiver)
);
create index delivery_backlog_due on delivery_backlog (ledger_id, due) where due is not null;
