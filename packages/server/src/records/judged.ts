import type { RecordEnvelope } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import type { AccessEntry } from '../access/rules.js';
import type { Kind } from '../kinds/kind.js';
import { accessOf } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Indexed } from '../store/queries/list.js';

/** What access to a record is judged by and no other column of its index entry holds. */
interface Judged {
  /** The version it is of: an older release stores later ones without it. */
  readonly change: number;
  readonly access: readonly AccessEntry[];
  readonly owners: readonly string[];
  readonly labels: readonly string[];
  readonly thread?: string;
}

/**
 * What access to a version is judged by, for its index entry, so that lists leave out what a caller may not see before
 * anything of it is fetched.
 *
 * @returns nothing when it is longer than `limits.judged`: the record itself is then looked at
 */
export function judgedBy(record: RecordEnvelope, change: number): string | undefined {
  const { owners, labels = [], thread } = record.meta;
  const judged: Judged = {
    change,
    access: accessOf(record),
    owners,
    labels,
    ...(thread === undefined ? {} : { thread }),
  };
  const text = JSON.stringify(judged);
  return text.length <= limits.judged ? text : undefined;
}

/** A record as what an operation is about, of which no more is known than its index entry says; nothing if that is too little. */
export function indexedSubject(
  kind: Kind,
  { change, key, status, domain, judged: text }: Indexed,
): Subject | undefined {
  const judged = text === null ? undefined : (JSON.parse(text) as Judged);
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
      ...(thread === undefined ? {} : { thread }),
    },
    exists: true,
    known: 'index',
  };
}
