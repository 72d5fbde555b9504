/**
 * The statement that adds bytes to those that ledger `$1` stores. Whoever seals locks the row: in a transaction it comes last, so
 * that nobody who has the row waits for another lock of the ledger.
 *
 * @param bytes an expression
 */
export function addBytes(bytes: string): string {
  return `insert into storage as had (ledger_id, bytes)
    select $1::bigint, more.bytes from (select (${bytes})::bigint as bytes) more where more.bytes <> 0
    on conflict (ledger_id) do update set bytes = had.bytes + excluded.bytes`;
}
