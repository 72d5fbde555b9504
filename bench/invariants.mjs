import assert from 'node:assert/strict';

/** SQL: how many balances are not the sum of their movements. */
export const WRONG_BALANCES = `select count(*)::int as wrong from balance b
  where (b.version, b.available, coalesce(b.reserved, 0)) <> (
    select count(*), sum(e.available_by), sum(e.reserved_by) from entry e
    where e.ledger_id = b.ledger_id and e.wallet = b.wallet and e.symbol = b.symbol)`;

/** What must hold of all balances and intents. `$1`: how many transfers were sent. */
const INVARIANTS = {
  'intents not completed': `select count(*)::int as wrong from record where kind = 'intent' and status <> 'completed'`,
  'transfers missing': `select $1::int - count(*)::int as wrong from record where kind = 'intent' and handle like 't-%'`,
  'balances unlike the sum of their movements': WRONG_BALANCES,
  'money made or lost': `select (sum(available) + sum(coalesce(reserved, 0)) - count(*) * 1000000000)::int as wrong from balance`,
  'versions missing': `select count(*)::int as wrong from (
    select count(*) as found, max(change) as newest from change where kind = 'intent' group by ledger_id, luid) c
    where found <> newest or newest < 7`,
};

/**
 * Sees by SQL that all money is where it should be.
 *
 * @param sent how many transfers were sent
 * @throws AssertionError with what is wrong
 */
export async function assertInvariants(database, sent) {
  for (const [what, text] of Object.entries(INVARIANTS)) {
    const { rows } = await database.query(text, text.includes('$1') ? [sent] : []);
    assert.equal(rows[0].wrong, 0, what);
  }
}
