import { LedgerError } from '@countersign/protocol';

/**
 * The parameters of a query, decoded, in the order they came.
 *
 * @param query as sent, without `?`
 * @throws `api.query-malformed` for percent-encoding that is none, or text no record can hold
 */
export function parametersOf(query: string): [name: string, value: string][] {
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
