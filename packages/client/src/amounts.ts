/** Why a text is no amount of a symbol: no decimal number, more digits than the symbol has, or more than a ledger counts. */
export type AmountFault = 'form' | 'digits' | 'size';

/** Digits behind the point of a symbol with this factor, which is a power of ten (interface/wallets#symbols). */
export function digitsOf(factor: number): number {
  return String(factor).length - 1;
}

/** An amount in whole units: 1250 of a symbol with factor 100 is `12.50`. Exact: no floating-point number is involved. */
export function formatAmount(integer: number | bigint, factor: number): string {
  const digits = digitsOf(factor);
  const whole = String(integer)
    .replace('-', '')
    .padStart(digits + 1, '0');
  const sign = integer < 0 ? '-' : '';
  return digits === 0 ? sign + whole : `${sign}${whole.slice(0, -digits)}.${whole.slice(-digits)}`;
}

/**
 * The integer that a ledger counts with, of an amount in whole units: `12.5` of a symbol with factor 100 is 1250. Exact:
 * no floating-point number is involved.
 */
export function parseAmount(text: string, factor: number): number | AmountFault {
  const [, sign = '', whole, fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return 'form';
  const digits = digitsOf(factor);
  const needed = fraction.replace(/0+$/, '');
  if (needed.length > digits) return 'digits';
  const integer = BigInt(whole + needed.padEnd(digits, '0'));
  if (integer > BigInt(Number.MAX_SAFE_INTEGER)) return 'size';
  return Number(sign === '-' ? -integer : integer);
}
