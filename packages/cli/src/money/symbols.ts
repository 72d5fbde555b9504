import type { Ledger } from '@countersign/client';

/** The factors of symbols, each read once. */
export function factorsOf(ledger: Ledger): (symbol: string) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  return (symbol) => {
    const found = known.get(symbol) ?? ledger.symbols.get(symbol).then(({ data }) => Number(data.factor));
    known.set(symbol, found);
    return found;
  };
}
