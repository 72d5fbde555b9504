/**
 * Single-use tokens that were used, so that no process of the deployment takes one twice. `ledger` is the luid of the
 * ledger the token was for; empty for what is outside every ledger.
 */
export const sql = `
create table used_token (
  ledger text collate "C" not null,
  use text collate "C" not null,
  expires_at timestamptz not null,
  primary key (ledger, use)
);
create index used_token_expiry on used_token (expires_at);
`;
