import { digitsOf, parseAmount } from '@countersign/client/amounts';
import { usage } from '../terminal/failure.js';

/**
 * The integer that a ledger counts with, of an amount in whole units.
 *
 * @throws Failure for what is no decimal number, is finer than the symbol, or too large
 */
export function toInteger(text: string, factor: number): number {
  const amount = parseAmount(text, factor);
  if (typeof amount === 'number') return amount;
  if (amount === 'form') throw usage(`'${text}' is not an amount.`, 'give a number such as 25 or 12.50');
  if (amount === 'size') throw usage(`${text} is more than a ledger can count.`);
  const digits = digitsOf(factor);
  throw usage(
    `${text} is finer than the symbol: it has ${digits} ${digits === 1 ? 'digit' : 'digits'} behind the point.`,
  );
}
