/**
 * Further attempts of deliveries (interface/effects#further-attempts). A delivery that failed as often as its schedule says is
 * set aside: it is due at no time by itself, so a million of them cost the search for due ones nothing. Its queue says when the
 * next of them is taken up.
 */
export const furtherAttemptsSchema = `
-- Since when it is set aside; kept while it is taken up. Null before, and once it has ended or was retried.
alter table delivery add column aside timestamptz;
-- The one whose last attempt is longest ago is taken up first; those whose time is over are found by when they were set aside.
create index delivery_aside on delivery (ledger_id, target, coalesce(attempted, moment))
  where aside is not null and due is null;
create index delivery_aside_since on delivery (ledger_id, target, aside) where aside is not null and due is null;

-- A queue in which an attempt failed: the deliveries of a ledger to one target.
create table delivery_queue (
  ledger_id bigint not null,
  target text collate "C" not null,
  -- Failed attempts since the last success.
  failures integer not null,
  -- Failed further attempts since one last ended a delivery: the delay grows with them.
  step integer not null,
  -- How many more may be taken up at once: two for each that ended since.
  allowed integer not null,
  -- When the next are taken up; null where none is set aside.
  due timestamptz,
  primary key (ledger_id, target)
);
create index delivery_queue_due on delivery_queue (ledger_id, due) where due is not null;
`;
