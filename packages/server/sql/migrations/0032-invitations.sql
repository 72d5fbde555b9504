-- Servers that know 0029 may serve beside it.
-- Invitations by operators, each for one ledger (decision 0045). Of the code only the SHA-256 is kept.
create table invitation (
  id bigint generated always as identity primary key,
  hash bytea not null unique,
  note text not null,
  made timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  expires timestamptz not null,
  -- When it was used, and the ledger that was created with it.
  used timestamptz,
  luid text
);
