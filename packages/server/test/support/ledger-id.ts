import type { TestClient } from './client.js';
import { runSql } from './sql.js';

/** The id of a client's ledger. A statement that names it is about one node of a cluster. */
export async function ledgerId(url: string, { ledger }: Pick<TestClient, 'ledger'>): Promise<string> {
  const [row] = await runSql<{ id: string }>(url, 'select id from ledger where handle = $1', [ledger]);
  return row!.id;
}
