/**
 * The condition that a limit is in force, as SQL: it ends with its symbol, and one made anew under the handle begins without
 * any. A scalar subquery: the planner must look each up by its key.
 *
 * @param limit what the statement calls the row of `wallet_limit`
 * @param ledger an expression of the ledger's id
 */
export function isInForce(limit: string, ledger: string): string {
  return `(select s.luid from record s where s.ledger_id = ${ledger} and s.luid = ${limit}.symbol_luid) is not null`;
}

/**
 * The condition that a limit which a release up to 0.2.0 has kept, by the handle of its symbol, was set on the present symbol, as
 * SQL. One of a symbol that is gone was set before the present one was made. Where no symbol was dropped there is no such limit,
 * however much the clocks of servers differed.
 *
 * @param body an expression of the limit as it is served
 * @param symbol what the statement calls the present symbol, a row of `record`
 */
export function isOfPresentSymbol(body: string, symbol: string): string {
  const ofSymbols = `c.ledger_id = ${symbol}.ledger_id and c.luid >= '$sym.' and c.luid < '$sym/'`;
  return `((${body}::jsonb #>> '{meta,moment}')::timestamptz >= (
      select min(c.moment) from change c where c.ledger_id = ${symbol}.ledger_id and c.luid = ${symbol}.luid)
    or not exists (select from change c where ${ofSymbols} and c.kind = 'symbol' and c.action = 'drop'))`;
}
