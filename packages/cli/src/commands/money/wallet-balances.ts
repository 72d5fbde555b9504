import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { toText } from '../../money/amount.js';
import { factorsOf } from '../../money/symbols.js';
import { table } from '../../terminal/table.js';

export const walletBalances: Command = {
  path: ['wallet', 'balances'],
  summary: 'Show what a wallet holds, in whole units',
  arguments: [
    { name: 'id', about: 'handle or luid of the wallet', ask: { kind: 'text', message: 'Handle of the wallet' } },
  ],
  connects: true,
  examples: [{ call: 'countersign wallet balances shop', about: 'available and reserved amounts by symbol' }],
  async run(invocation) {
    const id = await invocation.need('id');
    const { ledger } = await openLedger(invocation);
    const factorOf = factorsOf(ledger);
    const rows: { symbol: string; schema: string; amount: string; integer: number }[] = [];
    for await (const { data } of ledger.wallets.balances(id)) {
      const { symbol, schema, amount } = data;
      rows.push({ symbol, schema, amount: toText(amount, await factorOf(symbol)), integer: amount });
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
