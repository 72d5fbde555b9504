import { type JsonObject, luidId, luid as makeLuid } from '@countersign/protocol';
import { matchesData } from '../access/data-filter.js';
import { isInDomain, type LedgerEffect } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { NewDelivery } from '../store/committer/write.js';
import type { EventPlan } from './event.js';
import type { Occurrence } from './occurrence.js';

/** Deliveries that are made in one slice. */
const EVENTS_IN_A_ROW = 64;

const NO_DELIVERIES: readonly NewDelivery[] = [];

/**
 * The deliveries of what an operation is about to do: one event for each occurrence, and one delivery for each effect that
 * it reaches. They are stored by the commit of the change itself, on the ledger's state that the change is decided on: so
 * an effect acts for every change after its own answer, on every process.
 *
 * An effect in a domain is told of records in that domain and below only.
 *
 * @throws `auth.forbidden` when the filters of the ledger's effects take more work than a request may
 */
export async function raiseEvents(
  session: Session,
  occurrences: readonly Occurrence[],
): Promise<readonly NewDelivery[]> {
  const { ledger, task } = session;
  if (ledger.effects.size === 0) return NO_DELIVERIES;
  const deliveries: NewDelivery[] = [];
  for (const occurrence of occurrences) {
    const effects = ledger.effects.get(occurrence.signal);
    if (!effects) continue;
    await task.turn();
    const handle = `evt_${newId(session)}`;
    const { signal, domain } = occurrence;
    const values = Object.entries(occurrence.parts).map(([name, { value }]) => [name, value] as const);
    const data = { handle, signal, ...Object.fromEntries(values) };
    const reached: LedgerEffect[] = [];
    for (const effect of effects) {
      if (effect.isInUse && isInDomain(ledger, domain, effect.domain) && (await isAsked(session, effect, data)))
        reached.push(effect);
    }
    if (reached.length === 0) continue;
    const members = Object.entries(occurrence.parts).map(([name, { kept }]) => [name, kept] as const);
    const plan: EventPlan = { handle, signal, members: Object.fromEntries(members) };
    const event = JSON.stringify(plan);
    for (const effect of reached) {
      if (deliveries.length % EVENTS_IN_A_ROW === 0) await task.turn();
      deliveries.push(makeDelivery(session, effect, occurrence, event));
    }
  }
  return deliveries;
}

async function isAsked({ task }: Session, { filter }: LedgerEffect, data: JsonObject): Promise<boolean> {
  if (!filter) return true;
  await task.turn();
  return matchesData(filter, data, task);
}

function makeDelivery(
  session: Session,
  effect: LedgerEffect,
  { kind, linked }: Occurrence,
  event: string,
): NewDelivery {
  const { integrity, ledger } = session;
  const delivery = {
    handle: newId(session),
    effect: effect.luid,
    effectHandle: effect.handle,
    effectChange: effect.change,
    effectDomain: effect.domain,
    ...('bridge' in effect.action ? { bridge: effect.action.bridge } : {}),
    target: queueOf(effect),
    record: kind.name,
    linked,
    event,
  };
  return { ...delivery, mac: integrity.deliveryMac(ledger.id, delivery) };
}

/** The queue that deliveries of the effect wait in: that of the bridge, or of the webhook's origin. */
function queueOf({ action }: LedgerEffect): string {
  return 'bridge' in action ? `bridge:${action.bridge}` : new URL(action.endpoint).origin;
}

/** 17 characters, too random to guess; those made later sort later, to the second. */
function newId({ runtime }: Session): string {
  return luidId(makeLuid('evd', Math.floor(runtime.now() / 1000), runtime.random(11)));
}
