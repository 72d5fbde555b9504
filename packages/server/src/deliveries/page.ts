import { type Reference, referenceKey } from '../events/event.js';
import type { ListItem } from '../integrity/items.js';
import { kindNamed } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import type { PageQuery } from '../lists/page.js';
import { assertPageFits } from '../lists/page-bodies.js';
import type { DeliveryScope, ListedDelivery } from '../store/outbox/delivery-list.js';
import { queryLimits } from '../store/queries/query-limits.js';
import { makeMissingVersion, type Sized } from '../store/queries/version.js';
import { serveDelivery, wasAttempted } from './delivery-answer.js';
import { referencesIn } from './message.js';
import { verifyDelivery } from './verify.js';

/**
 * Makes an item of each delivery, and the answer of the items. What the events are made of is read in one query for all; a
 * large page waits for the semaphore before that.
 *
 * @param page as requested, to suggest another one in the error
 * @throws `api.query-malformed` for a page over the size limit; Corrupt when a delivery or version was changed in the
 *   database; as `WeightedSemaphore` does
 */
export async function withDeliveries<T>(
  session: Session,
  scope: DeliveryScope,
  page: PageQuery,
  deliveries: readonly ListedDelivery[],
  answer: (items: readonly ListItem[]) => T,
): Promise<T> {
  const { answerBytes, ledger, task } = session;
  await task.turn();
  for (const delivery of deliveries) verifyDelivery(session, ledger, delivery);
  const references = distinctReferences(deliveries);
  const versions = await fetchVersions(session, references, queryLimits.answers.atOnce);
  const sizes = deliveries.map((delivery) => sizeWithVersions(delivery, versions));
  assertPageFits(sizes, page);
  if (deliveries.every(hasProofs) && [...versions.values()].every(({ body }) => body !== null)) {
    return answer(await makeDeliveryItems(session, deliveries, versions, references));
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return answerBytes(ledger.id, bytes, async () => {
    await task.turn();
    const complete = await addProofs(session, scope, deliveries);
    const rest = references.filter((one) => (versions.get(referenceKey(one))?.body ?? null) === null);
    const others = await fetchVersions(session, rest, Math.max(bytes, queryLimits.answers.page));
    return answer(await makeDeliveryItems(session, complete, new Map([...versions, ...others]), references));
  });
}

/** The versions that events are made of again, each once. Before the first attempt there is no output. */
function distinctReferences(deliveries: readonly ListedDelivery[]): Reference[] {
  const found = deliveries.flatMap(referencesShown).map((one) => [referenceKey(one), one] as const);
  return [...new Map(found).values()];
}

function referencesShown(delivery: ListedDelivery): readonly Reference[] {
  return wasAttempted(delivery) ? referencesIn(delivery) : [];
}

/** Sizes of all versions, and the bodies of the first, as many as `most` bytes hold; by `referenceKey`, unverified. */
async function fetchVersions(
  { store, ledger }: Session,
  references: readonly Reference[],
  most: number,
): Promise<Map<string, Sized>> {
  if (references.length === 0) return new Map();
  const of = references.map(([, luid, change]) => ({ luid, change }));
  const found = await store.lists.deliveries.versions({ ledger: ledger.id, of, most });
  return new Map(found.map((one) => [`${one.luid} ${one.change}`, one]));
}

/** Bytes that a delivery is made of: its proofs, and every version that its event refers to. */
function sizeWithVersions(delivery: ListedDelivery, versions: ReadonlyMap<string, Sized>): number {
  const bytes = referencesShown(delivery).map((one) => versions.get(referenceKey(one))?.size ?? 0);
  return bytes.reduce((sum, size) => sum + size, delivery.size);
}

type WithProofs = ListedDelivery & { readonly proofs: string };

function hasProofs(delivery: ListedDelivery): delivery is WithProofs {
  return delivery.proofs !== null;
}

/** The deliveries with their proofs; those that lacked them stand as they do now. */
async function addProofs(
  { store }: Session,
  scope: DeliveryScope,
  deliveries: readonly ListedDelivery[],
): Promise<readonly ListedDelivery[]> {
  const handles = deliveries.filter((one) => !hasProofs(one)).map(({ handle }) => handle);
  if (handles.length === 0) return deliveries;
  const found = await store.lists.deliveries.named({ ...scope, handles });
  const byHandle = new Map(found.deliveries.map((one) => [one.handle, one]));
  return deliveries.map((one) => {
    const { status, attempts, proofs } = byHandle.get(one.handle) ?? one;
    // The verified columns are kept; these three may have changed since.
    return { ...one, status, attempts, proofs: proofs ?? '' };
  });
}

/** @throws Corrupt when a version is not as it was stored, or is gone */
async function makeDeliveryItems(
  session: Session,
  deliveries: readonly ListedDelivery[],
  versions: ReadonlyMap<string, Sized>,
  references: readonly Reference[],
): Promise<readonly ListItem[]> {
  const { items, ledger, task } = session;
  const texts = new Map<string, string>();
  for (const reference of references) {
    const [kind, luid, change] = reference;
    const { body = null, ...found } = versions.get(referenceKey(reference)) ?? {};
    const version = body === null ? makeMissingVersion({ luid, change }) : { ...(found as Sized), body };
    await task.turn();
    await items.check(ledger, kindNamed(kind), version);
    texts.set(referenceKey(reference), version.body);
  }
  const made: ListItem[] = [];
  for (const delivery of deliveries) made.push(await serveDelivery(session, delivery as WithProofs, texts));
  await task.turn();
  return made;
}
