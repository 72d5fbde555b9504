-- Limits belong to a symbol by its luid: they end with it, and one made anew under its handle begins without any. They have the
-- luid that they are served with: versions begin at 1 again with a limit made anew, which settling must not take for the one it
-- has read.
--
-- Those of symbols that were dropped or erased are deleted: they were set before the present symbol was made. Where
-- none was dropped there are none, however much the clocks of servers differed.

alter table wallet_limit add column symbol_luid text collate "C", add column luid text collate "C";
update wallet_limit w set symbol_luid = s.luid, luid = w.body::jsonb ->> 'luid'
from record s
where s.ledger_id = w.ledger_id and s.kind = 'symbol' and s.handle = w.symbol
  and (
    (w.body::jsonb #>> '{meta,moment}')::timestamptz >= (
      select min(c.moment) from change c where c.ledger_id = s.ledger_id and c.luid = s.luid)
    or not exists (
      select from change c
      where c.ledger_id = s.ledger_id and c.luid >= '$sym.' and c.luid < '$sym/' and c.kind = 'symbol' and c.action = 'drop'));
delete from wallet_limit where symbol_luid is null;
alter table wallet_limit alter column symbol_luid set not null, alter column luid set not null,
  drop constraint wallet_limit_pkey, add primary key (ledger_id, wallet, symbol, symbol_luid, metric);
