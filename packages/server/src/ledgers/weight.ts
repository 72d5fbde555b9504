import { isObject, type Json, type RecordEnvelope } from '@countersign/protocol';
import { weighJson } from '../base/json-weight.js';

/** Bytes of a ledger beside its rules: keys, and what is made of all rules together. */
const LEDGER_BYTES = 30_000;

/** Bytes of a schema, of which only the names are held. */
const SCHEMA = 500;

/** Bytes for each value of a policy, in the lists of values by right. */
const POLICY_VALUE_BYTES = 300;

/** Bytes for each character of a `$regex`, once it was searched for. */
const SEARCHED_BYTES = 4;

/**
 * About how many bytes of memory the state of a ledger takes.
 *
 * @param records those that are kept with all their data
 * @param schemas how many it has
 */
export function weighState(records: readonly RecordEnvelope[], schemas: number): number {
  const rules = records.map(
    (record) =>
      weighJson(record) + POLICY_VALUE_BYTES * countPolicyValues(record) + SEARCHED_BYTES * countSearched(record.data),
  );
  return rules.reduce((sum, weight) => sum + weight, LEDGER_BYTES + SCHEMA * schemas);
}

function countPolicyValues({ data }: RecordEnvelope): number {
  return Array.isArray(data.values) ? data.values.length : 0;
}

/** The characters of all `$regex`. */
function countSearched(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countSearched(one), 0);
  if (!isObject(value)) return 0;
  const own = typeof value.$regex === 'string' ? value.$regex.length : 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countSearched(one), own);
}
