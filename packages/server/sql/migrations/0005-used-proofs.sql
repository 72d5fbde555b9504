-- The record that each proof of a client was used for (records/proofs.ts, `useOf`): a proof counts for one record. It
-- supersedes `dropped_record`, which covered creates only.
--
-- A use is 128 bits of a hash, kept as `uuid`: smaller and faster than `bytea`.
--
-- The backfill removes escape sequences from the history first: PostgreSQL fails on `\u0000`, and digests and keys are
-- free of escapes. A proof that was used for several records before counts for the first.

create table used_proof (
  ledger_id bigint not null,
  digest uuid not null,
  luid text collate "C" not null,
  primary key (ledger_id, digest)
);

insert into used_proof (ledger_id, digest, luid)
select c.ledger_id, substring(sha256(convert_to((proof ->> 'digest') || (proof ->> 'public'), 'UTF8'))::text from 3 for 32)::uuid,
  c.luid
from change c
  cross join json_array_elements(regexp_replace(c.body, '\\.', '', 'g')::json #> '{meta,proofs}') proof
where not exists (
  select from record own
  where own.ledger_id = c.ledger_id and own.kind = 'signer' and own.link = proof ->> 'public'
    and own.handle in ('system', 'core', 'system.auth', 'system.dtc'))
order by c.moment, c.luid, c.change
on conflict do nothing;

drop table dropped_record;
