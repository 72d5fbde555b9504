import { isObject, type Json, type JsonObject, LedgerError } from '@countersign/protocol';
import { matches } from '../access/condition.js';
import type { Subject } from '../access/context.js';
import { matchesFilter } from '../access/filter.js';
import type { Kind } from '../kinds/kind.js';
import { isInDomain, type Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { Cost } from '../metering/cost.js';
import type { UniqueLabel } from '../store/committer/labeled.js';
import { policiesAbout } from './policies-about.js';

/** A value of a labels policy: labels that records may have (interface/policies#labels-policies). */
interface LabelValue {
  /** Which labels; any unless given. */
  readonly label?: Json;
  /** Whether one record at a time may have each. */
  readonly unique?: boolean;
  readonly filter?: JsonObject;
  /** The domain of its policy. */
  readonly domain: string | undefined;
}

/** A record that is about to have other labels; `subject` is what it is, with the data that it is to have. */
export interface LabelChange {
  readonly kind: Kind;
  readonly subject: Subject;
  readonly luid: string;
  /** What is unique within its kind. */
  readonly key: string;
  readonly had: readonly string[] | undefined;
  readonly has: readonly string[] | undefined;
}

/**
 * Holds the labels that a write adds to the labels policies about its record (interface/policies#labels-policies). What
 * a record has had before stays, and what is taken away is not judged.
 *
 * @returns the labels that no other record may have: the commit looks once more
 * @throws `record.labels-policy-violation` for a label that no value names, or that another record has
 */
export async function assertLabels(session: Session, labeled: LabelChange): Promise<UniqueLabel[]> {
  const { kind, subject, had = [], has = [], luid, key } = labeled;
  const before = new Set(had);
  const added = has.filter((label) => !before.has(label));
  if (added.length === 0) return [];
  await session.task.turn();
  const { ledger, task } = session;
  const values = labelValuesAbout(task, ledger, { ...subject, meta: { ...subject.meta, labels: has } });
  if (values === undefined) return [];
  const unique: UniqueLabel[] = [];
  for (const label of added) {
    const naming = values.filter((value) => namesLabel(value, label, task));
    if (naming.length === 0) throw labelViolation(kind, label, 'No values correspond to the target label.');
    for (const domain of new Set(naming.flatMap((one) => (one.unique ? [one.domain] : [])))) {
      unique.push({ label, ...(domain === undefined ? {} : { domains: domainsWithin(ledger, domain) }) });
    }
    await task.turn();
  }
  const taken = await session.store.labeled({ ledger: ledger.id, kind: kind.name, luid, key, labels: unique });
  if (taken !== undefined) throw labelViolation(kind, taken, `Another ${kind.name} has it.`);
  return unique;
}

/** The values of labels policies about the record; `undefined` where no policy with values is about it. */
function labelValuesAbout(cost: Cost, ledger: Ledger, subject: Subject): LabelValue[] | undefined {
  const values = policiesAbout(cost, ledger, 'labels', subject).flatMap(({ values, domain }) => {
    cost.spend(values.length);
    // Earlier releases stored values of any form.
    return (values as unknown as Json[]).filter(isObject).map((value): LabelValue => ({ ...value, domain }));
  });
  if (values.length === 0) return undefined;
  return values.filter(({ filter }) => !filter || matchesFilter(filter, subject, cost));
}

function namesLabel({ label: named }: LabelValue, label: string, cost: Cost): boolean {
  cost.spend(1);
  return named === undefined || matches(named, label, cost);
}

/** The domain and those below it. */
function domainsWithin(ledger: Ledger, domain: string): string[] {
  return [...ledger.domains.keys()].filter((one) => isInDomain(ledger, one, domain));
}

function labelViolation(kind: Kind, label: string, why: string): LedgerError {
  return new LedgerError('record.labels-policy-violation', `Cannot set ${kind.name} label to ${label}. ${why}`);
}
