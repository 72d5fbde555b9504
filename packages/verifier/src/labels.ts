import { isObject, type Json } from '@countersign/protocol';
import { jsonText } from './json/json-text.js';

/**
 * The labels of a record after a proof (interface/records#labels): an array replaces them; `$push` adds, `$pull` and
 * `$pullAll` remove.
 *
 * @returns undefined for none
 */
export function applyLabelChange(had: readonly string[] | undefined, change: Json | undefined): string[] | undefined {
  if (change === undefined) return had && [...had];
  const labels = Array.isArray(change) ? toTexts(change) : applyChange(had ?? [], change);
  const unique = [...new Set(labels)];
  return unique.length === 0 ? undefined : unique;
}

function applyChange(had: readonly string[], change: Json): string[] {
  if (!isObject(change)) return [...had];
  const removed = new Set([...toTexts(change.$pull), ...toTexts(change.$pullAll)]);
  return [...had, ...toTexts(change.$push)].filter((label) => !removed.has(label));
}

function toTexts(value: Json | undefined): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(jsonText);
}
