import { LedgerError } from '@countersign/protocol';

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
