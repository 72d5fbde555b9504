import { digitsOf } from '@countersign/client/amounts';
import { usage } from '../terminal/failure.js';

/**
 * The integer that a ledger counts with, of an amount in whole units: `12.5` of a symbol with factor 100 is 1250. Exact:
 * no floating-point number is involved.
 *
 * @throws Failure for what is no decimal number, is finer than the symbol, or too large
 */
export function toInteger(text: string, factor: number): number {
  const [, sign = '', whole, fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) throw usage(`'${text}' is not an amount.`, 'give a number such as 25 or 12.50');
  const digits = digitsOf(factor);
  const needed = fraction.replace(/0+$/, '');
  if (needed.length > digits) {
    throw usage(
      `${text} is finer than the symbol: it has ${digits} ${digits === 1 ? 'digit' : 'digits'} behind the point.`,
    );
  }
  const integer = BigInt(whole + needed.padEnd(digits, '0'));
  if (integer > BigInt(Number.MAX_SAFE_INTEGER)) throw usage(`${text} is more than a ledger can count.`);
  return Number(sign === '-' ? -integer : integer);
}
