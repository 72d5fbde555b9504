import type { Signed } from '@countersign/client';

/** An amount that an intent has issued or transferred. */
export interface Amount {
  readonly symbol: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** As the ledger counts: in the smallest part of the symbol. */
  readonly value: bigint;
}

/** Actions of claims that bring something in, or move it. */
const MOVING = ['issue', 'transfer'];

/** The amounts of completed intents, by their claims. */
export function amountsOf(intents: readonly Signed[]): Amount[] {
  return intents.flatMap(({ data, meta }) => {
    if (meta.status !== 'completed' || !Array.isArray(data.claims)) return [];
    return data.claims.flatMap((claim) => {
      const { action, amount, symbol } = (claim ?? {}) as Record<string, unknown>;
      if (!MOVING.includes(String(action)) || !Number.isInteger(amount)) return [];
      return [{ symbol: symbolName(symbol), at: Date.parse(String(meta.moment)), value: BigInt(amount as number) }];
    });
  });
}

function symbolName(symbol: unknown): string {
  const named = typeof symbol === 'object' && symbol !== null ? (symbol as { handle?: unknown }).handle : symbol;
  return String(named);
}
