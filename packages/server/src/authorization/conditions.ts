import type { JsonObject } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { AccessPolicy, Subject } from '../access/context.js';
import { intentLimits } from '../kinds/intent.js';
import type { Condition, Kind, KindName } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import { readRecordText } from '../metering/task.js';
import { findAddressed } from '../records/address.js';
import { eachBody } from '../store/queries/bodies.js';
import { isAllowedOn } from './authorize.js';
import { type Conditions, subjectOf } from './context.js';

/** The subject and caller that a condition is judged for. */
interface ConditionScope {
  readonly session: Session;
  readonly kind: Kind;
  readonly caller: Caller;
  /** As it is stored, or as a create would make it. */
  readonly subject: Subject;
  /** What an update would make of it. */
  readonly data?: JsonObject;
}

/**
 * Judges the conditions of this kind of record that policies of the ledger ask for; others cost no work.
 *
 * @param data what an update would make of the record
 * @returns undefined when the policies ask for no condition of the kind
 * @throws OutOfDate when wallets were found under another state of the ledger
 */
export async function conditionsOf(
  session: Session,
  caller: Caller,
  subject: Subject,
  data?: JsonObject,
): Promise<Conditions | undefined> {
  const kind = kindNamed(subject.kind as KindName);
  const known = kind.access.conditions;
  if (!known) return undefined;
  const names = [...collectInvokedConditions(session.ledger.policies)].filter((name) => Object.hasOwn(known, name));
  if (names.length === 0) return undefined;
  const asking = { session, kind, caller, subject, data };
  const judged = await Promise.all(
    names.map(async (name) => ((await isConditionMet(asking, known[name]!)) ? name : undefined)),
  );
  return (name) => judged.includes(name);
}

/** The conditions that access policies name. Cached by identity of the map: a changed policy makes a new map. */
const invoked = new WeakMap<ReadonlyMap<string, AccessPolicy>, ReadonlySet<string>>();

function collectInvokedConditions(policies: ReadonlyMap<string, AccessPolicy>): ReadonlySet<string> {
  const known = invoked.get(policies);
  if (known) return known;
  const access = [...policies.values()].filter(({ schema }) => schema === 'access');
  const names = new Set(access.flatMap(({ values }) => values.flatMap(({ invoke = [] }) => invoke)));
  invoked.set(policies, names);
  return names;
}

async function isConditionMet(asking: ConditionScope, condition: Condition): Promise<boolean> {
  const addresses = condition.inThread ? await addressesInThread(asking, condition) : addressesOf(asking, condition);
  const allowed = await Promise.all(addresses.map((address) => isAllowed(asking, condition, address)));
  return condition.quantifier === 'every' ? !allowed.includes(false) : allowed.includes(true);
}

function addressesOf({ subject, data = subject.data }: ConditionScope, { addresses }: Condition): readonly string[] {
  return addresses(data, subject.exists ? subject.data : undefined);
}

/** Whether the caller may do that on the record the address leads to; false when the address leads to no record. */
async function isAllowed(
  { session, caller }: ConditionScope,
  { kind, action }: Condition,
  address: string,
): Promise<boolean> {
  const subject = await subjectAt(session, kind, address);
  return subject !== undefined && isAllowedOn(session, caller, action, subject);
}

/** The first existing one of the records an address may mean (interface/wallets#routes). */
async function subjectAt(session: Session, kind: KindName, address: string): Promise<Subject | undefined> {
  const found = await findAddressed(address, (id) => session.findVersion(kind, id, 'handle'));
  const body = found?.body;
  return body === undefined ? undefined : subjectOf(kindNamed(kind), await readRecordText(session.task, body));
}

/** The addresses in all records of the subject's thread. A record that a client creates begins a thread of its own. */
async function addressesInThread(asking: ConditionScope, condition: Condition): Promise<readonly string[]> {
  const { session, kind, subject } = asking;
  const { thread } = subject.meta;
  if (thread === undefined) return addressesOf(asking, condition);
  const filters = [{ path: 'meta.thread', operator: '$eq', values: [thread] }] as const;
  const query = { ledger: session.ledger.id, kind: kind.name, filters, limit: intentLimits.thread, offset: 0 } as const;
  const { records } = session.assertFresh(await session.store.find(query));
  const found = new Set<string>();
  for await (const body of eachBody(session.store.bodies, query, records)) {
    const { data } = await readRecordText(session.task, body);
    for (const address of condition.addresses(data, data)) found.add(address);
  }
  return [...found];
}
