import { isRefusal, type Ledger } from '@countersign/client';
import { formatAmount } from '@countersign/client/amounts';
import { useQueries } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';
import { moneyText } from '../text/money.js';

/** Writes amounts of symbols; of one whose factor is not known, as the ledger counts. */
export type WriteAmount = (amount: bigint, symbol: string) => string;

/** Writes amounts in whole units, by the factors that the records of the symbols have: exactly, whatever their size. */
export function useAmounts(symbols: readonly string[]): WriteAmount {
  const ledger = useLedger();
  const names = [...new Set(symbols)];
  const found = useQueries({
    queries: names.map((symbol) => ({
      queryKey: [...scopeOf(ledger), 'factor', symbol],
      queryFn: () => readFactor(ledger.client, symbol),
      staleTime: 300_000,
    })),
  });
  const factors = new Map(names.map((symbol, at) => [symbol, found[at]?.data ?? undefined]));
  return (amount, symbol) => {
    const factor = factors.get(symbol);
    return factor === undefined ? moneyText.counted(grouped(String(amount))) : grouped(formatAmount(amount, factor));
  };
}

async function readFactor(client: Ledger, symbol: string): Promise<number | null> {
  try {
    return Number((await client.symbols.get(symbol)).data.factor);
  } catch (error) {
    if (isRefusal(error) || error instanceof TypeError) return null;
    throw error;
  }
}

/** `1234567.50` as `1,234,567.50`. */
function grouped(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? parted : `${parted}.${fraction}`;
}
