import { LedgerError } from '@countersign/protocol';
import { listLimits } from './list-limits.js';
import { assertForms, parseParameters } from './query.js';

export interface PageQuery {
  readonly index: number;
  readonly limit: number;
}

/** Parameters that are meant to select a page. */
const MEANT = /^(index|limit|page)$|^page[.[]/;

/** Those that do. */
const PAGE_PARAMETER = /^page(\.(index|limit)|\[(index|limit)\])$/;

/**
 * The page a list query asks for: `page.index` from 0 and `page.limit`, also as `page[index]` and `page[limit]`
 * (interface/lists#pages). A limit over the greatest is served as the greatest, and echoed so.
 *
 * @param query as sent, after the `?`
 * @throws `api.query-malformed` unless the index is an integer of at least 0, and the limit one of at least 1; or for a
 *   parameter that is meant to select a page, and does not
 */
export function parsePage(query: string): PageQuery {
  const sent = parseParameters(query);
  assertForms(sent, (name) => MEANT.test(name) && !PAGE_PARAMETER.test(name), 'write page.index=0 and page.limit=20');
  const parameters = new Map(sent);
  const index = parseWhole(parameters, 'index', 0) ?? 0;
  const limit = parseWhole(parameters, 'limit', 1) ?? listLimits.page.default;
  return { index, limit: Math.min(limit, listLimits.page.greatest) };
}

function parseWhole(parameters: ReadonlyMap<string, string>, name: string, least: number): number | undefined {
  const text = parameters.get(`page.${name}`) ?? parameters.get(`page[${name}]`);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new LedgerError('api.query-malformed', `page.${name} must be an integer of at least ${least}`);
  }
  return Number(text);
}
