import { isObject, type Json } from '@countersign/protocol';
import { textOf } from './json/text-of.js';

/**
 * The labels of a record after a proof (interface/records#labels): an array replaces them; `$push` adds, `$pull` and
 * `$pullAll` remove.
 *
 * @returns undefined for none
 */
export function labelsAfter(had: readonly string[] | undefined, change: Json | undefined): string[] | undefined {
  if (change === undefined) return had && [...had];
  const labels = Array.isArray(change) ? listOf(change) : apply(had ?? [], change);
  const unique = [...new Set(labels)];
  return unique.length === 0 ? undefined : unique;
}

function apply(had: readonly string[], change: Json): string[] {
  if (!isObject(change)) return [...had];
  const removed = new Set([...listOf(change.$pull), ...listOf(change.$pullAll)]);
  return [...had, ...listOf(change.$push)].filter((label) => !removed.has(label));
}

function listOf(value: Json | undefined): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(textOf);
}
