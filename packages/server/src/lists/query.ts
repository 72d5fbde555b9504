import { LedgerError } from '@countersign/protocol';
import { filterLimits } from '../access/filter-limits.js';

/**
 * The parameters of a query, decoded, in the order they came.
 *
 * @param query as sent, after the `?`
 * @throws `api.query-malformed` for malformed percent-encoding, and for U+0000, which records exclude
 */
export function parseParameters(query: string): [name: string, value: string][] {
  try {
    decodeURIComponent(query);
  } catch {
    throw new LedgerError('api.query-malformed', 'Malformed percent-encoding in the query');
  }
  const parameters = [...new URLSearchParams(query)];
  if (parameters.some(([name, value]) => name.includes('\u0000') || value.includes('\u0000'))) {
    throw new LedgerError('api.query-malformed', 'A query must not hold U+0000');
  }
  return parameters;
}

/**
 * Refuses parameters in a form that other services take: to ignore them would be to answer another question.
 *
 * @param parameters as `parseParameters` reads them
 * @param isOther whether a parameter of that name is in another form
 * @param form the form that is taken here, as an order
 * @throws `api.query-malformed` naming each of them
 */
export function assertForms(
  parameters: readonly (readonly [name: string, value: string])[],
  isOther: (name: string) => boolean,
  form: string,
): void {
  const others = new Set(parameters.map(([name]) => name.slice(0, filterLimits.characters)).filter(isOther));
  if (others.size === 0) return;
  const names = [...others].slice(0, filterLimits.count).map((name) => `'${name}'`);
  throw new LedgerError('api.query-malformed', `Unsupported parameters: ${names.join(', ')}; ${form}`);
}
