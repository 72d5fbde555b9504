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
