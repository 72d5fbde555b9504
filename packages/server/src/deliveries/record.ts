import { hash as hashOf, type Json, type JsonObject, type Suite } from '@countersign/protocol';
import type { NewDelivery } from '../store/committer/write.js';

/** What a delivery's data is made of. */
export type DeliveryFacts = Pick<NewDelivery, 'handle' | 'bridge' | 'effectHandle' | 'record' | 'linked'>;

/**
 * The data of a delivery as it is served (interface/effects#deliveries). It is the same at every attempt, so proofs of all
 * attempts are over one hash.
 */
export function deliveryData({ handle, bridge, effectHandle, record, linked }: DeliveryFacts): JsonObject {
  return { handle, bridge: bridge ?? null, effect: effectHandle ?? null, record, linked: linked ?? null };
}

/** The hash of a delivery: of its data without the members that are null (interface/effects#deliveries). */
export function deliveryHash(data: JsonObject, suite: Suite): string {
  const said = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
  return hashOf(said as Json, suite);
}
