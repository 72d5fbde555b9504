import { isObject, type Json, type JsonObject, type Meta } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import { limits } from '../limits.js';

/**
 * What lists filter a record by: dotted path -> the values found there, flat. A path through an array is kept both
 * with the index of each element and without any, where the values of all elements meet (contract 01 §10: a numeric
 * index tests that element, no index any).
 *
 * Status, domain and moment are columns, and only members a kind lets lists filter by are kept.
 */
export function filterDocument(kind: Kind, data: JsonObject, meta: Meta): JsonObject {
  const document: Record<string, Json[]> = Object.create(null);
  const parent = kind.under ? [kind.under.member] : [];
  const members = [
    'handle',
    // The content of a schema is not filtered by, only the name of one.
    ...(typeof data.schema === 'string' ? ['schema'] : []),
    'custom',
    ...parent,
    ...kind.filters.map((path) => path.split('.', 1)[0] as string),
  ];
  for (const member of new Set(members)) {
    const value = data[member];
    if (value !== undefined) collect(document, `data.${member}`, value);
  }
  if (meta.labels) collect(document, 'meta.labels', meta.labels);
  if (meta.domains) collect(document, 'meta.domains', meta.domains);
  // No list filters by it: the ledger itself finds what belongs together.
  if (meta.thread !== undefined) collect(document, 'meta.thread', meta.thread);
  return document as JsonObject;
}

/** Levels of arrays within one another whose elements are also found by index: each doubles the paths of a value. */
const INDEXED_ARRAYS = 2;

/**
 * What no filter can name, because its path is too long or too deep, is left out: members are as long as a body allows,
 * and a path repeats them for every value below.
 *
 * @param arrays how many arrays the value is in
 */
function collect(document: Record<string, Json[]>, path: string, value: Json, arrays = 0): void {
  if (path.length > limits.filter || path.split('.', limits.filterDepth + 1).length > limits.filterDepth) return;
  if (Array.isArray(value)) {
    value.forEach((element, index) => {
      collect(document, path, element, arrays + 1);
      if (arrays < INDEXED_ARRAYS) collect(document, `${path}.${index}`, element, arrays + 1);
    });
  } else if (isObject(value)) {
    for (const [member, inner] of Object.entries(value)) collect(document, `${path}.${member}`, inner, arrays);
  } else if (document[path]) document[path].push(value);
  else document[path] = [value];
}
