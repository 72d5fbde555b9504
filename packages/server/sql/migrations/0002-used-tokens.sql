-- Used single-use tokens, so that a token counts once in the whole deployment. `ledger` is the luid of the ledger the
-- token was for; empty for tokens outside every ledger.

create table used_token (
  ledger text collate "C" not null,
  use text collate "C" not null,
  expires_at timestamptz not null,
  primary key (ledger, use)
);
create index used_token_expiry on used_token (expires_at);
