/**
 * Limits belong to a symbol by its luid: they end with it, and one made anew under its handle begins without any. They have the
 * luid that they are served with: versions begin at 1 again with a limit made anew, which settling must not take for the one it
 * has read.
 *
 * Those of symbols that were dropped are deleted: that a limit was set before the drop is told by its moment.
 */
export const limitsOfSymbolsSchema = `
alter table wallet_limit add column symbol_luid text collate "C", add column luid text collate "C";
with gone as materialized (
  select c.ledger_id, c.body::jsonb #>> '{data,handle}' as handle, max(c.moment) as moment
  from (select distinct ledger_id from wallet_limit) l
    join change c on c.ledger_id = l.ledger_id and c.luid >= '$sym.' and c.luid < '$sym/'
  where c.kind = 'symbol' and c.action = 'drop' and c.body is not null
  group by 1, 2
)
update wallet_limit w set symbol_luid = s.luid, luid = w.body::jsonb ->> 'luid'
from record s left join gone g on g.ledger_id = s.ledger_id and g.handle = s.handle
where s.ledger_id = w.ledger_id and s.kind = 'symbol' and s.handle = w.symbol
  and (g.moment is null or g.moment < (w.body::jsonb #>> '{meta,moment}')::timestamptz);
delete from wallet_limit where symbol_luid is null;
alter table wallet_limit alter column symbol_luid set not null, alter column luid set not null,
  drop constraint wallet_limit_pkey, add primary key (ledger_id, wallet, symbol, symbol_luid, metric);
`;
