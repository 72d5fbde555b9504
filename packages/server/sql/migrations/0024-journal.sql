-- The journal of each ledger that keeps one (interface/journal). An entry is made of its columns when it is read, under the signature
-- that was made before it was stored.
create table request (
  ledger_id bigint not null,
  handle text collate "C" not null,
  -- When the request was answered.
  moment timestamptz not null,
  -- 0 for what was done, 1 for what was refused to a signer, 2 to anybody else: of refusals only the latest are kept.
  sort smallint not null,
  record text collate "C" not null,
  action text collate "C" not null,
  -- Who asked; null for a caller that is no signer.
  source text collate "C",
  status text collate "C" not null,
  -- The rest of its data, as JSON.
  data text not null,
  -- Of the ledger, over the hash of the data.
  result text not null,
  primary key (ledger_id, handle)
);
create index request_listed on request (ledger_id, moment, handle);
create index request_refused on request (ledger_id, sort, moment, handle) where sort > 0;

create or replace function stored_bytes(ledger bigint) returns bigint language sql stable as $$
  select ((select coalesce(sum(512 + coalesce(octet_length(body), 0) + coalesce(beside, 0)), 0) from change where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(event) + octet_length(proofs)), 0) from delivery where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(sealed)), 0) from secret where ledger_id = ledger)
    + (select coalesce(sum(512 + octet_length(data)), 0) from request where ledger_id = ledger))::bigint
$$;
