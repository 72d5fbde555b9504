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
