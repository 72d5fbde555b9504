/**
 * Which record each proof of a client was used for (records/proofs.ts, `useOf`), so that none counts for another. It makes
 * `dropped_record` superfluous, which told that of creates alone.
 *
 * A use is 128 bits of a hash, kept in the one type that has as many: it takes less room than a `bytea`, and less time.
 *
 * What is backfilled is read from the history without its escape sequences: `\u0000` is text that the database cannot
 * read, and neither a digest nor a key has any. Of a proof that was used for several records before, the first has it.
 */
export const sql = `
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
  cross join json_array_elements(regexp_replace(c.body, '\\\\.', '', 'g')::json #> '{meta,proofs}') proof
where not exists (
  select from record own
  where own.ledger_id = c.ledger_id and own.kind = 'signer' and own.link = proof ->> 'public'
    and own.handle in ('system', 'core', 'system.auth', 'system.dtc'))
order by c.moment, c.luid, c.change
on conflict do nothing;

drop table dropped_record;
`;
