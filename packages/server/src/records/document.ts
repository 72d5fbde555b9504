import {
  isObject,
  type Json,
  type JsonObject,
  LedgerError,
  type Meta,
  type RecordEnvelope,
  readJson,
} from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import { filterLimits } from '../access/filter-limits.js';
import type { AccessEntry } from '../access/rules.js';
import { defined } from '../base/defined.js';
import type { Kind } from '../kinds/kind.js';
import { accessOf } from '../ledgers/ledger.js';
import type { Indexed } from '../store/queries/list.js';
import { recordLimits } from './record-limits.js';

/** The result so far. */
interface DocumentBuilder {
  /** Dotted path -> the values found there. */
  readonly document: Record<string, Json[]>;
  /** Characters of its paths and values. */
  size: number;
}

/**
 * The values that lists filter a record by: dotted path -> the values found there, flat. A path through an array is
 * kept both with the index of each element, and bare, where the values of all elements meet (interface/lists#filters: a
 * numeric index tests that element, a bare path any).
 *
 * Key, status, domain and moment have columns. Of `data`, only the members that the kind lets lists filter by are kept.
 *
 * @throws `record.invalid` when that is more than `recordLimits.filterable`
 */
export function filterDocument(kind: Kind, data: JsonObject, meta: Meta): JsonObject {
  const found: DocumentBuilder = { document: Object.create(null), size: 0 };
  const members = new Set([
    // A handle that is the key has a column of its own.
    ...(kind.links.key ? ['handle'] : []),
    // Records are filtered by the name of a schema; the content in a schema record is left out.
    ...(typeof data.schema === 'string' ? ['schema'] : []),
    'custom',
    ...(kind.links.under ? [kind.links.under.member] : []),
    ...(kind.filters.data ?? []),
  ]);
  for (const path of members) collectValues(found, 'data', 1, data, path.split('.'));
  if (meta.labels) collectValues(found, 'meta.labels', 2, meta.labels, []);
  if (meta.domains) collectValues(found, 'meta.domains', 2, meta.domains, []);
  // For the ledger's own lookups of a thread; lists refuse it as a filter.
  if (meta.thread !== undefined) collectValues(found, 'meta.thread', 2, meta.thread, []);
  return found.document as JsonObject;
}

/** Depth of nested arrays whose elements are also kept by index: each level doubles the paths of a value. */
const INDEXED_ARRAYS = 2;

/**
 * Collects the values below a path. Paths too long or too deep for a filter are left out: a member name is as long as a
 * body allows, and is repeated for every value below it.
 *
 * @param steps members that lead on to what is kept, through arrays too; empty where all that is below is kept
 * @param depth segments of the path
 * @param arrays how many arrays the value is in
 */
function collectValues(
  found: DocumentBuilder,
  path: string,
  depth: number,
  value: Json,
  steps: readonly string[],
  arrays = 0,
): void {
  if (path.length > filterLimits.characters || depth > filterLimits.depth) return;
  if (Array.isArray(value)) {
    value.forEach((element, index) => {
      collectValues(found, path, depth, element, steps, arrays + 1);
      if (arrays < INDEXED_ARRAYS) collectValues(found, `${path}.${index}`, depth + 1, element, steps, arrays + 1);
    });
  } else if (isObject(value)) {
    const [next, ...others] = steps;
    for (const [member, inner] of Object.entries(value)) {
      if (next !== undefined && member !== next) continue;
      collectValues(found, `${path}.${member}`, depth + segmentsOf(member), inner, others, arrays);
    }
  } else if (steps.length === 0) {
    addToDocument(found, path, value);
  } else if (typeof value === 'string' && steps.length === 1 && steps[0] === 'handle') {
    // An address may be the handle alone (interface/intents#claims).
    collectValues(found, `${path}.handle`, depth + 1, value, [], arrays);
  }
}

/** The segments that a member adds to a path: its name may hold dots. */
function segmentsOf(member: string): number {
  return member.includes('.') ? member.split('.', filterLimits.depth + 1).length : 1;
}

/** Characters that a number, a boolean or a null counts as. */
const SCALAR = 8;

function addToDocument(found: DocumentBuilder, path: string, value: Json): void {
  const values = found.document[path];
  found.size += (values ? 0 : path.length) + (typeof value === 'string' ? value.length : SCALAR);
  if (found.size > recordLimits.filterable) {
    throw new LedgerError(
      'record.invalid',
      `Record holds more than ${recordLimits.filterable} characters to filter it by`,
    );
  }
  if (values) values.push(value);
  else found.document[path] = [value];
}

/** The facts that access to a record is judged by, beside the other columns of its index entry. */
interface AccessFacts {
  /** The version they were taken from: a write by an older release leaves those of an earlier version in place. */
  readonly change: number;
  readonly access: readonly AccessEntry[];
  readonly owners: readonly string[];
  readonly labels: readonly string[];
  readonly thread?: string;
}

/**
 * The facts that access to a version is judged by, for its index entry: lists leave out invisible records before
 * fetching them.
 *
 * @returns undefined when they are longer than `recordLimits.judged`; the record itself is then judged
 */
export function formatAccessFacts(record: RecordEnvelope, change: number): string | undefined {
  const { owners, labels = [], thread } = record.meta;
  const judged: AccessFacts = {
    change,
    access: accessOf(record),
    owners,
    labels,
    thread,
  };
  const text = JSON.stringify(judged);
  return text.length <= recordLimits.judged ? text : undefined;
}

/** The subject that the index entry of a record describes; undefined when the entry lacks the facts of this version. */
export function parseIndexedSubject(
  kind: Kind,
  { change, key, status, domain, judged: text }: Indexed,
): Subject | undefined {
  const judged = text === null ? undefined : (readJson(text) as AccessFacts);
  if (judged?.change !== change) return undefined;
  const { access, owners, labels, thread } = judged;
  return {
    kind: kind.name,
    access,
    owners,
    data: kind.links.key ? {} : { handle: key },
    meta: {
      ...(status === null ? {} : { status }),
      ...(domain === null ? {} : { domain }),
      labels,
      ...defined({ thread }),
    },
    exists: true,
    known: 'index',
  };
}
