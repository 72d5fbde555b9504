import { type Json, readJson, type StoredProof } from '@countersign/protocol';
import { type ListItem, newListItem } from '../integrity/items.js';
import type { Session } from '../ledgers/session.js';
import { turnForText } from '../metering/task.js';
import type { ListedDelivery } from '../store/outbox/delivery-list.js';
import { makeMessage } from './message.js';
import { deliveryData, deliveryHash } from './record.js';
import { toDeliveryLuid } from './verify.js';

/**
 * A delivery as it is served (interface/effects#deliveries): the body that was sent is made anew, from the same versions.
 *
 * @param delivery verified
 * @param texts bodies of the versions that its event refers to, verified, by `referenceKey`
 */
export async function serveDelivery(
  session: Session,
  delivery: ListedDelivery & { readonly proofs: string },
  texts: ReadonlyMap<string, string>,
): Promise<ListItem> {
  const { suite, task } = session;
  await task.turn();
  const proofs = parseProofs(session, delivery);
  const data = deliveryData(delivery);
  const hash = deliveryHash(data, suite);
  const output = hasNoBridge(proofs) ? undefined : await makeOutput(session, delivery, texts);
  await turnForText(task, output);
  const meta = {
    proofs,
    moment: lastProofMoment(proofs) ?? delivery.moment.toISOString(),
    status: delivery.status,
    replay: delivery.attempts,
    output: output === undefined ? null : readJson(output),
  };
  return newListItem({ luid: toDeliveryLuid(delivery.handle), hash, meta, data } as unknown as Json);
}

/** Whether an attempt of a delivery has ended: a drop of its effect may end it before the first. */
export function wasAttempted<D extends ListedDelivery>(delivery: D): delivery is D & { readonly signed: Date } {
  return delivery.attempts > 0 && delivery.signed !== null;
}

/** The body as it was sent, at every attempt alike; undefined before the first. */
async function makeOutput(
  session: Session,
  delivery: ListedDelivery,
  texts: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  if (!wasAttempted(delivery)) return undefined;
  const { task, ledger } = session;
  const message = await makeMessage(session, ledger, delivery, texts, task);
  return message.output(delivery.signed);
}

/** @throws Corrupt when the text was changed in the database */
function parseProofs({ integrity, ledger }: Session, delivery: ListedDelivery): StoredProof[] {
  try {
    return readJson(`[${delivery.proofs}]`) as StoredProof[];
  } catch {
    const of = { ledger: ledger.luid, luid: toDeliveryLuid(delivery.handle), change: 1 };
    return integrity.refuse(of, 'is not the text that was stored');
  }
}

/** Whether the last attempt found no bridge of the name that the effect gives: nothing was made of the event then. */
function hasNoBridge(proofs: readonly StoredProof[]): boolean {
  const last = proofs.findLast(({ custom }) => custom?.status !== 'cancelled');
  const { reason, detail } = (last?.custom ?? {}) as { reason?: string; detail?: { reason?: string } };
  return reason === 'delivery.unexpected-error' && detail?.reason === 'core.unexpected-error';
}

/** The moment of the last proof (interface/effects#deliveries). */
function lastProofMoment(proofs: readonly StoredProof[]): string | undefined {
  const said = proofs.at(-1)?.custom?.moment;
  return typeof said === 'string' ? said : undefined;
}
