import { formatAmount } from '@countersign/client/amounts';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { factorsOf } from '../../money/symbols.js';
import { table } from '../../terminal/table.js';

export const walletBalances: CliCommand = {
  path: ['wallet', 'balances'],
  summary: 'Show what a wallet holds, in whole units',
  about:
    'Two rows for each symbol: what is available, and what intents under way have reserved. With --json a row is `symbol`, ' +
    '`schema` (`available` or `reserved`), `amount` (whole units, as text), `integer` (the amount as the ledger counts) and ' +
    '`factor` (of the symbol: `integer` divided by it is `amount`).',
  arguments: [
    { name: 'id', about: 'handle or luid of the wallet', ask: { kind: 'text', message: 'Handle of the wallet' } },
  ],
  connects: true,
  examples: [{ call: 'countersign wallet balances shop', about: 'available and reserved amounts by symbol' }],
  async run(invocation) {
    const id = await invocation.need('id');
    const { ledger } = await openLedger(invocation);
    const factorOf = factorsOf(ledger);
    const rows: { symbol: string; schema: string; amount: string; integer: number; factor: number }[] = [];
    for await (const { data } of ledger.wallets.balances(id)) {
      const { symbol, schema, amount } = data;
      const factor = await factorOf(symbol);
      rows.push({ symbol, schema, amount: formatAmount(amount, factor), integer: amount, factor });
    }
    const { output } = invocation;
    output.result(rows, () =>
      table(
        ['SYMBOL', 'BALANCE', 'AMOUNT'],
        rows.map(({ symbol, schema, amount }) => [symbol, schema, amount]),
        output.width,
      ),
    );
  },
};
