/** Texts that stand in an array of PostgreSQL as they are. */
const PLAIN = /^[\w.:$+/=-]+$/;

/**
 * A parameter as it is passed to the driver: an array of numbers, booleans and plain texts as one text, any other value as
 * it is. The driver makes that same array with two searches through each element, which for a commit of many rows takes as
 * long as all the rest that it does.
 */
export function toArrayLiteral(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  let text = '{';
  for (const one of value as readonly unknown[]) {
    if (text.length > 1) text += ',';
    if (one === null) text += 'NULL';
    else if (typeof one === 'number' || typeof one === 'boolean') text += one;
    else if (typeof one === 'string' && isPlain(one)) text += one;
    else return value;
  }
  return `${text}}`;
}

/** Whether a text stands in an array as it is. PostgreSQL takes the word null for a missing value. */
export function isPlain(value: string): boolean {
  if (!PLAIN.test(value)) return false;
  return value.length !== 4 || value.toUpperCase() !== 'NULL';
}
