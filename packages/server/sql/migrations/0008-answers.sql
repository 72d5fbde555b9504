-- Data that lists judge access by before they fetch a record; and the filter documents of two kinds completed: circle
-- signers by their signer, claims whose addresses are texts (interface/intents#claims).
--
-- Existing records keep a null `judged`: a backfill would rewrite all of them while the servers wait. Their next
-- version has it, and until then lists look at the record itself.

-- JSON: the version it is of, its access entries, owners, labels and thread. Null where that is too long.
alter table record add column judged text;

update record set document = jsonb_set(
  document, array[ledger_id || '/circle-signer', 'data.signer'], jsonb_build_array(link))
where kind = 'circle-signer';

with address as (
  select r.ledger_id, r.luid, position, member,
    case jsonb_typeof(claim -> member) when 'string' then claim -> member else claim #> array[member, 'handle'] end as handle
  from record r
    join change c using (ledger_id, luid, change)
    cross join lateral jsonb_array_elements(c.body::jsonb #> '{data,claims}') with ordinality as e(claim, position)
    cross join (values ('source'), ('target'), ('symbol')) as m(member)
  where r.kind = 'intent' and c.body ~ '"(source|target|symbol)":"'
),
found as (
  select ledger_id, luid, path, jsonb_agg(handle order by position) as handles
  from address
    cross join lateral (values
      ('data.claims.' || member || '.handle'),
      ('data.claims.' || (position - 1) || '.' || member || '.handle')) as p(path)
  where handle is not null
  group by ledger_id, luid, path
),
made as (select ledger_id, luid, jsonb_object_agg(path, handles) as paths from found group by ledger_id, luid)
update record r set document = jsonb_set(
  r.document, array[r.ledger_id || '/intent'], (r.document -> (r.ledger_id || '/intent')) || made.paths)
from made where r.ledger_id = made.ledger_id and r.luid = made.luid;
