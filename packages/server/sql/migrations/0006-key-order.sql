-- The record that a key stands for, where several have it (store/queries/signers.ts): holders that proved the key by a
-- proof on the record come first, and among equals the one that took it first.
--
-- `link_since` is drawn from the sequence of `seq`, and is null where the record has had its key from the start.
-- Existing records get theirs from the history, in the order in which they took their keys.

alter table record add column link_proven boolean not null default false, add column link_since bigint;

create temporary table key_history on commit drop as
select r.ledger_id, r.luid, r.seq, c.change, c.moment,
  coalesce(case when r.link like 'client:%' then 'client:' || (c.read #>> '{data,clientId}') else c.read #>> '{data,public}' end
    = r.link, false) as has_key,
  exists (select from json_array_elements(c.read #> '{meta,proofs}') p where p ->> 'public' = r.link) as proves
from record r
  cross join lateral (
    select change, moment, regexp_replace(body, '\\.', '', 'g')::json as read
    from change where ledger_id = r.ledger_id and luid = r.luid
  ) c
where r.kind in ('signer', 'signer-factor') and r.link is not null;

update record r set link_proven = taken.proven, link_since = taken.since
from (
  select h.ledger_id, h.luid, bool_or(h.proves) as proven, row_number() over (order by min(h.moment), min(h.seq)) as since
  from key_history h
  where not exists (
    select from key_history o
    where o.ledger_id = h.ledger_id and o.luid = h.luid and o.change >= h.change and not o.has_key)
  group by h.ledger_id, h.luid
) taken
where r.ledger_id = taken.ledger_id and r.luid = taken.luid;

create index record_key on record (ledger_id, link, link_proven desc, (coalesce(link_since, seq)))
  where kind in ('signer', 'signer-factor') and link is not null;

-- How often a key was taken. A row is the place where two records that take one key at the same time meet.
create table taken_key (
  ledger_id bigint not null,
  public text collate "C" not null,
  times bigint not null,
  primary key (ledger_id, public)
);
insert into taken_key (ledger_id, public, times)
select ledger_id, link, count(*) from record
where kind in ('signer', 'signer-factor') and link is not null group by ledger_id, link;
