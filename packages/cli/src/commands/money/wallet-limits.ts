import { formatAmount } from '@countersign/client/amounts';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { factorsOf } from '../../money/symbols.js';
import { table } from '../../terminal/table.js';

export const walletLimits: CliCommand = {
  path: ['wallet', 'limits'],
  summary: 'Show the limits of a wallet, in whole units',
  arguments: [
    { name: 'id', about: 'handle or luid of the wallet', ask: { kind: 'text', message: 'Handle of the wallet' } },
  ],
  connects: true,
  async run(invocation) {
    const id = await invocation.need('id');
    const { ledger } = await openLedger(invocation);
    const factorOf = factorsOf(ledger);
    const rows: { symbol: string; metric: string; amount: string; integer: number }[] = [];
    for await (const { data } of ledger.wallets.limits(id)) {
      const { symbol, metric, amount } = data;
      // This one counts intents.
      const factor = metric === 'dailyCount' ? 1 : await factorOf(symbol);
      rows.push({ symbol, metric, amount: formatAmount(amount, factor), integer: amount });
    }
    const { output } = invocation;
    output.result(rows, () =>
      table(
        ['SYMBOL', 'METRIC', 'AMOUNT'],
        rows.map(({ symbol, metric, amount }) => [symbol, metric, amount]),
        output.width,
      ),
    );
  },
};
