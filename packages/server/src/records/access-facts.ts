import { type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import type { AccessEntry } from '../access/rules.js';
import { defined } from '../base/defined.js';
import type { Kind } from '../kinds/kind.js';
import { accessOf } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Indexed } from '../store/queries/list.js';

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
 * @returns undefined when they are longer than `limits.judged`; the record itself is then judged
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
  return text.length <= limits.judged ? text : undefined;
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
