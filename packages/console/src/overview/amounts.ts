import type { Signed } from '@countersign/client';

/** An amount that an intent has issued or transferred. */
export interface Amount {
  readonly symbol: string;
  readonly at: number;
  readonly value: number;
}

/** Actions of claims that bring something in, or move it. */
const MOVING = ['issue', 'transfer'];

/** The amounts of completed intents, by their claims. */
export function amountsOf(intents: readonly Signed[]): Amount[] {
  return intents.flatMap(({ data, meta }) => {
    if (meta.status !== 'completed' || !Array.isArray(data.claims)) return [];
    return data.claims.flatMap((claim) => {
      const { action, amount, symbol } = (claim ?? {}) as Record<string, unknown>;
      if (!MOVING.includes(String(action)) || typeof amount !== 'number') return [];
      return [{ symbol: nameOf(symbol), at: Date.parse(String(meta.moment)), value: amount }];
    });
  });
}

/** How amounts of a symbol are written: with as many places as its factor has zeros. */
export function amountFormat(symbol: string, symbols: readonly Signed[]): (value: number) => string {
  const factor = Number(symbols.find(({ data }) => data.handle === symbol)?.data.factor ?? 1);
  const places = Number.isFinite(factor) && factor >= 1 ? Math.min(20, Math.round(Math.log10(factor))) : 0;
  return (value) => (value / 10 ** places).toLocaleString('en', { minimumFractionDigits: places });
}

function nameOf(symbol: unknown): string {
  const named = typeof symbol === 'object' && symbol !== null ? (symbol as { handle?: unknown }).handle : symbol;
  return String(named);
}
