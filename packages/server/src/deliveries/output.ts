import { hash as hashOf, type Json, type JsonObject, type Suite } from '@countersign/protocol';
import { composeEvent, type EventPlan } from '../events/event.js';
import type { Countersigner } from '../keys/countersigner.js';
import type { Task } from '../metering/task.js';

/** The data of an event and its hash, which are the same for all receivers. */
export interface HashedEvent {
  readonly data: JsonObject;
  readonly hash: string;
}

/**
 * Makes an event from the history.
 *
 * @param texts bodies of the versions that the event refers to, by `referenceKey`
 * @param turn awaited before each piece of work
 * @throws Error when one is missing
 */
export async function makeEvent(
  plan: EventPlan,
  texts: ReadonlyMap<string, string>,
  suite: Suite,
  task: Pick<Task, 'turn'>,
): Promise<HashedEvent> {
  const data = await composeEvent(plan, texts, task);
  await task.turn();
  return { data, hash: hashOf(data as Json, suite) };
}

/**
 * The body that a receiver is sent (interface/effects#events): the event with the proof of this delivery. Signatures of
 * Ed25519 are deterministic, so it is the same text at every attempt, and needs no place in the database.
 *
 * @param signed moment of the proof, which is that of the first attempt
 */
export function outputOf({ data, hash }: HashedEvent, system: Countersigner, signed: Date): string {
  const proof = system.stored(hash, { moment: signed.toISOString() });
  return JSON.stringify({ data, hash, meta: { proofs: [proof] } });
}
