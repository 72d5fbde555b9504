/** What wallets hold: how it is listed, and what it keeps from being dropped. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

export const tests = [test('money/balances.test.ts'), test('money/limits.test.ts'), test('money/drops.test.ts')];

export const mutants = [
  {
    id: 'balances-of-the-ledger',
    file: src('store/money/rows.ts'),
    find: 'where b.ledger_id = ${ledger} and b.wallet',
    replace: 'where b.wallet',
    breaks: "Another ledger's balances are shown.",
  },
  {
    id: 'balances-limits-of-the-ledger',
    file: src('store/money/rows.ts'),
    find: 'where w.ledger_id = ${ledger} and w.wallet',
    replace: 'where w.wallet',
    breaks: "Another ledger's limits are shown.",
  },
  {
    id: 'balances-access',
    file: src('operations/money/list-rows.ts'),
    find: 'await authorize(session, caller, {',
    replace: 'void (session, caller, {',
    breaks: 'Whoever asks sees what a wallet holds.',
  },
  {
    id: 'balances-until-the-first-debit',
    file: src('store/money/rows.ts'),
    find: ' and s.amount is not null',
    replace: '',
    breaks: 'Wallets that were only credited show a row without an amount.',
  },
  {
    id: 'balances-total-filtered',
    file: src('store/money/rows.ts'),
    find: '(select count(*) as total from ${matching}) t',
    replace: '(select count(*) as total from ${of.from(query)}) t',
    breaks: 'The total counts rows that the filters leave out.',
  },
  {
    id: 'balances-held-by-intents',
    file: src('store/money/holds.ts'),
    find: 'union ${PLANNED} order by',
    replace: 'order by',
    breaks: 'A wallet is dropped that an intent under way is to credit.',
  },
  {
    id: 'balances-held-reserved',
    file: src('store/money/holds.ts'),
    find: '(available <> 0 or reserved <> 0)',
    replace: '(available <> 0)',
    breaks: 'A wallet is dropped while it has money reserved.',
  },
  {
    id: 'balances-held-overdrawn',
    file: src('store/money/holds.ts'),
    find: '(available <> 0 or',
    replace: '(available > 0 or',
    breaks: 'An overdrawn wallet is dropped with its debt.',
  },
  {
    id: 'balances-held-in-the-commit',
    file: src('store/committer/commit.ts'),
    find: ' || (await isHeld(client, write))',
    replace: '',
    breaks: 'A credit that arrives between the look and the drop is lost.',
  },
  {
    id: 'balances-held-at-first',
    file: src('operations/drop-refusal.ts'),
    find: 'return symbols.length > 0 ?',
    replace: 'return symbols.length > 1 ?',
    breaks: 'A drop is decided anew until its time is over.',
  },
  {
    id: 'balances-bridge-of-effects',
    file: src('operations/drop-refusal.ts'),
    find: "'bridge' in action && action.bridge === data.handle && mayUseBridge(ledger, domain, meta.domain)",
    replace: "'bridge' in action && action.bridge === data.handle && (domain, meta, ledger, mayUseBridge, true)",
    breaks: 'An administrator of a domain keeps bridges elsewhere from being dropped.',
  },
];
