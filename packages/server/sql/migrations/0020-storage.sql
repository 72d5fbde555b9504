-- What each ledger stores, in bytes, for its quota. Whoever stores a version queues its bytes with its leaves, and whoever takes
-- these out of the queue adds them up: writes of one ledger do not wait for one row.

create table storage (
  ledger_id bigint primary key,
  -- Of all that is out of the queue `unsealed`.
  bytes bigint not null,
  -- What an operator allows this ledger; null for what the server allows each.
  quota bigint check (quota >= 0)
);
alter table unsealed add column bytes bigint not null default 0;
-- Bytes of a version beside its text: what lists filter its record by, as far as that is longer; null for none.
alter table change add column beside integer;

-- What a ledger stores, from its rows: what quotas.ts counts for each write.
create function stored_bytes(ledger bigint) returns bigint language sql stable as $$
  select ((select coalesce(sum(512 + coalesce(octet_length(body), 0) + coalesce(beside, 0)), 0) from change where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(event) + octet_length(proofs)), 0) from delivery where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(sealed)), 0) from secret where ledger_id = ledger))::bigint
$$;
insert into storage (ledger_id, bytes) select id, stored_bytes(id) from ledger;
