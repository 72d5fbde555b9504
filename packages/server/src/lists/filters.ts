import { type Json, LedgerError, parseFilterKey, readJson } from '@countersign/protocol';
import { filterLimits } from '../access/filter-limits.js';
import { instantOf } from '../base/instant.js';
import type { Kind } from '../kinds/kind.js';
import type { PathFilter } from '../store/queries/filter.js';
import { assertForms, parseParameters } from './query.js';

/** Members every kind is filtered by (interface/lists#filterable-members). */
const COMMON = ['data.handle', 'data.schema', 'meta.status', 'meta.labels', 'meta.domain', 'meta.moment'];

/** Keys of filters, the unsupported `$and`, `$or` and `$plainTextQuery` included. */
const FILTER = /^((data|meta)([.[]|$)|\$(and|or|plainTextQuery)\b)/;

/** Members of records of every kind, of the envelope and of `meta`. */
const OF_RECORDS = ['luid', 'hash', 'proofs', 'status', 'moment', 'owners', 'labels', 'domain', 'domains', 'thread'];

/** A key's first step: `custom` of `custom.tier`, `handle` of `handle[$in][0]`. */
const FIRST_STEP = /^[^.[]*/;

/** Filters in a form that other services take. */
const OTHER_FORM = /^filters?([.[]|$)/;

/** A key whose one value holds the whole set: `data.handle.$in=a,b`. */
const WHOLE_SET = /\$n?in\]?$/;

/**
 * The filters of a list query. A key that begins with the name of a member but lacks the prefix `data.` or `meta.` is
 * refused: to ignore a misspelt filter would be to list everything. Other keys are other parameters, and ignored.
 *
 * @param query as sent, without `?`
 * @throws `api.query-malformed` naming every unsupported field and operator as sent, in order; or when there are more
 *   or larger filters than one query may have (interface/lists#filters)
 */
export function parseFilters(kind: Kind, query: string): PathFilter[] {
  const field = (path: string) => {
    if (isFilterablePath(kind, path)) return { path, key: path === 'data.handle' && !kind.links.key };
    // An address stands for the handle in it, as it does where it is written.
    return isAddressPath(kind, path) ? { path: `${path}.handle`, key: false } : undefined;
  };
  return filtersBy([...OF_RECORDS, ...kind.data.order], query, field);
}

/** Members that lists of changes are filtered by: what tells one version of a record from another. */
export const OF_CHANGES = ['meta.action', 'meta.change', 'meta.moment'];

/**
 * The filters of a list of changes: `meta.action`, `meta.change` and `meta.moment`. Other filters are refused: indexes
 * hold the other members of current versions only.
 *
 * @param query as sent, without `?`
 * @throws as `parseFilters` does
 */
export function changeFiltersOf(kind: Kind, query: string): PathFilter[] {
  const field = (path: string) => (OF_CHANGES.includes(path) ? { path } : undefined);
  return filtersBy([...OF_RECORDS, ...kind.data.order, 'action', 'change'], query, field);
}

/** Members that lists of deliveries are filtered by. */
export const OF_DELIVERIES = ['meta.status', 'data.linked', 'data.record'];

/** Members of deliveries, by whose names filters that lack `data.` or `meta.` are known. */
const DELIVERY_MEMBERS = [...OF_RECORDS, 'handle', 'bridge', 'effect', 'record', 'linked', 'replay', 'output'];

/**
 * The filters of a list of deliveries: `meta.status`, `data.linked` and `data.record` (interface/effects#list-deliveries).
 *
 * @param query as sent, without `?`
 * @throws as `parseFilters` does
 */
export function deliveryFiltersOf(query: string): PathFilter[] {
  return filtersBy(DELIVERY_MEMBERS, query, (path) => (OF_DELIVERIES.includes(path) ? { path } : undefined));
}

/** Members that lists of a wallet's balances are filtered by. */
export const OF_BALANCES = ['data.symbol', 'data.schema'];

/** Members that lists of a wallet's limits are filtered by. */
export const OF_LIMITS = ['data.symbol', 'data.metric'];

const MONEY_MEMBERS = [...OF_RECORDS, 'parent', 'wallet', 'symbol', 'schema', 'metric', 'amount'];

/**
 * The filters of a list of balances or limits (interface/wallets#balances, interface/wallets#limits).
 *
 * @param fields `OF_BALANCES` or `OF_LIMITS`
 * @param query as sent, without `?`
 * @throws as `parseFilters` does
 */
export function moneyFiltersOf(fields: readonly string[], query: string): PathFilter[] {
  return filtersBy(MONEY_MEMBERS, query, (path) => (fields.includes(path) ? { path } : undefined));
}

/** Members that the journal of requests is filtered by. */
export const OF_REQUESTS = [
  ...['data.source', 'data.target', 'data.record', 'data.action'],
  ...['meta.status', 'meta.labels', 'meta.moment'],
];

const REQUEST_MEMBERS = [...OF_RECORDS, 'handle', 'schema', 'record', 'action', 'source', 'target', 'params', 'result'];

/**
 * The filters of a journal (interface/journal#filters).
 *
 * @param query as sent, without `?`
 * @throws as `parseFilters` does
 */
export function requestFiltersOf(query: string): PathFilter[] {
  return filtersBy(REQUEST_MEMBERS, query, (path) => (OF_REQUESTS.includes(path) ? { path } : undefined));
}

/**
 * @param members names of members: a key that begins with one is a filter that lacks `data.` or `meta.`
 * @param field the field at a path; undefined when filters of it are unsupported
 */
function filtersBy(
  members: readonly string[],
  query: string,
  field: (path: string) => Pick<PathFilter, 'path' | 'key'> | undefined,
): PathFilter[] {
  const filters = new Map<string, PathFilter & { values: string[] }>();
  const unsupported: string[] = [];
  const parameters = parseParameters(query);
  assertForms(parameters, (name) => OTHER_FORM.test(name), 'write a filter as data.handle=x or data.handle.$in[0]=x');
  for (const [key, value] of parameters) {
    const isMisspelt = members.includes(FIRST_STEP.exec(key)?.[0] ?? '');
    if (!isMisspelt && !FILTER.test(key)) continue;
    if (key.length > filterLimits.characters || value.length > filterLimits.characters) throw tooLong();
    const parsed = parseFilterKey(key);
    const path = parsed?.path.join('.') ?? '';
    const found = isMisspelt ? undefined : field(path);
    if (!parsed || !found || path.split('.').length > filterLimits.depth) {
      unsupported.push(key);
      continue;
    }
    const several = parsed.operator === '$in' || parsed.operator === '$nin';
    const name = several ? `${found.path} ${parsed.operator}` : `${filters.size}`;
    const filter = filters.get(name) ?? { operator: parsed.operator, values: [], ...found };
    filter.values.push(...(several && WHOLE_SET.test(key) ? parseElements(value) : [value]));
    filters.set(name, filter);
  }
  if (unsupported.length > 0) {
    const names = [...new Set(unsupported)].map((key) => `'${key}'`).join(', ');
    throw new LedgerError('api.query-malformed', `Unsupported filters: ${names}`);
  }
  return verifyFilterBounds([...filters.values()]).map(withInstants);
}

/**
 * The elements of a set that is one value: a JSON array of texts, numbers and booleans, or values with commas between
 * (interface/lists#operators).
 */
function parseElements(value: string): string[] {
  const elements = value.startsWith('[') ? parseArray(value) : undefined;
  return elements?.every((one) => one !== null && typeof one !== 'object') ? elements.map(String) : value.split(',');
}

/** The array that a text is as JSON; undefined for any other text. */
function parseArray(text: string): Json[] | undefined {
  try {
    const value = readJson(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The members that lists of a kind are filtered by, in addition to everything below `data.custom.`
 * (interface/lists#filterable-members).
 */
export function filterableMembers(kind: Kind): string[] {
  const { more = [], less = [] } = kind.filters.meta ?? {};
  const own = [
    ...more.map((member) => `meta.${member}`),
    ...(kind.filters.data ?? []).map((member) => `data.${member}`),
  ];
  const taken = [...less.map((member) => `meta.${member}`), ...(namesSchema(kind) ? [] : ['data.schema'])];
  return [...COMMON, ...own].filter((member) => !taken.includes(member));
}

/**
 * Whether `data.schema` is the handle of a schema; in schemas it is their content (interface/lists#filterable-members).
 */
function namesSchema({ data: { shape } }: Kind): boolean {
  return (shape.properties.schema as { type?: string } | undefined)?.type !== 'object';
}

/** Whether the handle in what the path leads to is filterable: `data.claims.target`. */
function isAddressPath(kind: Kind, path: string): boolean {
  return path.startsWith('data.') && filterableMembers(kind).includes(`${toPlain(path)}.handle`);
}

function isFilterablePath(kind: Kind, path: string): boolean {
  if (path.startsWith('data.custom.')) return true;
  const plain = toPlain(path);
  return filterableMembers(kind).some((allowed) => plain === allowed || isBelowTarget(plain, allowed));
}

/** The path without the numbers of elements. */
function toPlain(path: string): string {
  return path.replace(/\.\d+(?=\.|$)/g, '');
}

/** Members that may be text or an object (an anchor's target) are also filtered by the members inside. */
function isBelowTarget(path: string, allowed: string): boolean {
  return allowed === 'data.target' && path.startsWith(`${allowed}.`);
}

function verifyFilterBounds(filters: PathFilter[]): PathFilter[] {
  if (filters.length > filterLimits.count) {
    throw new LedgerError('api.query-malformed', `A query takes at most ${filterLimits.count} filters`);
  }
  for (const { operator, values } of filters) {
    if (values.length > filterLimits.elements) {
      throw new LedgerError('api.query-malformed', `${operator} takes at most ${filterLimits.elements} values`);
    }
  }
  return filters;
}

/** Converts the values of a filter of moments to UTC; leaves others as they are. */
function withInstants(filter: PathFilter): PathFilter {
  if (filter.path !== 'meta.moment') return filter;
  const values = filter.values.map((value) => {
    const instant = filter.operator === '$regex' ? undefined : instantOf(value);
    if (instant !== undefined) return instant;
    throw new LedgerError('api.query-malformed', `meta.moment must be compared with an ISO 8601 date: '${value}'`);
  });
  return { ...filter, values };
}

function tooLong(): LedgerError {
  return new LedgerError('api.query-malformed', `A filter takes at most ${filterLimits.characters} characters`);
}
