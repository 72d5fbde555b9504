/**
 * What each ledger stores, in bytes, for its quota. Whoever stores a version queues its bytes with its leaves, and whoever takes
 * these out of the queue adds them up: writes of one ledger do not wait for one row.
 */
export const storageSchema = `
create table storage (
  ledger_id bigint primary key,
  -- Of all that is out of the queue \`unsealed\`.
  bytes bigint not null,
  -- What an operator allows this ledger; null for what the server allows each.
  quota bigint check (quota >= 0)
);
alter table unsealed add column bytes bigint not null default 0;
insert into storage (ledger_id, bytes)
select ledger_id, sum(coalesce(octet_length(body), 0) + 512) from change group by ledger_id;
`;
