import { isObject, type Json, type JsonObject, LedgerError } from '@countersign/protocol';
import type { Filterable, RecordNames } from '../declaration.js';

/**
 * The keys a filter of an access value may have for records of a kind, as patterns
 * (interface/policies#access-policies).
 */
function listAllowedKeys({ data, meta }: Filterable = {}): string[] {
  return [
    '^handle$',
    '^schema$',
    ...(data === undefined ? [] : [data]),
    '^custom..+$',
    '^meta.domain$',
    '^meta.labels$',
    '^meta.status$',
    ...(meta === undefined ? [] : [meta]),
  ];
}

/** The kinds a value is for: its own `record`, else the policy's. One that excludes kinds is checked as `any`. */
function listRecordNames(record: Json | undefined): string[] {
  if (typeof record === 'string') return [record];
  if (isObject(record) && Array.isArray(record.$in)) return record.$in.map(String);
  return ['any'];
}

/**
 * Throws `record.schema-invalid` for the first key of a filter in `values` that cannot decide access to the kind
 * (interface/policies#access-policies).
 *
 * @param data that of an access policy
 */
export function checkAccessFilters(data: JsonObject, { filterable }: RecordNames): void {
  const values = Array.isArray(data.values) ? data.values.filter(isObject) : [];
  for (const { filter, record = data.record } of values) {
    if (!isObject(filter)) continue;
    for (const name of distinct(listRecordNames(record), filterable)) {
      checkFilterKeys(Object.keys(filter), name, filterable.get(name));
    }
  }
}

/** One kind for each distinct set of filter keys: a policy may name kinds by the ten thousand. */
function distinct(records: readonly string[], filterable: RecordNames['filterable']): string[] {
  const seen = new Set<unknown>();
  return records.filter((record) => {
    const members = filterable.get(record);
    if (seen.has(members)) return false;
    seen.add(members);
    return true;
  });
}

/** The patterns of each kind, compiled once: a body may hold a thousand filters. */
const keyPatterns = new Map<unknown, RegExp[]>();

function patternsOf(own: Filterable | undefined): RegExp[] {
  const known = keyPatterns.get(own) ?? listAllowedKeys(own).map((pattern) => new RegExp(pattern));
  keyPatterns.set(own, known);
  return known;
}

function checkFilterKeys(keys: readonly string[], record: string, own: Filterable | undefined): void {
  const allowed = listAllowedKeys(own);
  const patterns = patternsOf(own);
  const stray = keys.find((key) => !patterns.some((pattern) => pattern.test(key)));
  if (stray === undefined) return;
  throw new LedgerError(
    'record.schema-invalid',
    `Cannot define access filter key "${stray}" for record "${record}". Allowed keys: ${JSON.stringify(allowed)}`,
  );
}
