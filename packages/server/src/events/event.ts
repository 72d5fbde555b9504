import type { Json, JsonObject } from '@countersign/protocol';
import type { KindName } from '../kinds/kind.js';
import { readRecordText, type Task } from '../metering/task.js';

/** A stored version: kind, luid, number of the change. */
export type Reference = readonly [kind: KindName, luid: string, change: number];

/** A member of an event's data: a value, a record as a version has it, or one proof of that version in an array. */
export type EventMember =
  | { readonly value: Json }
  | { readonly record: Reference }
  | { readonly proof: readonly [...Reference, index: number] };

/**
 * An event as the outbox keeps it. History is append-only, so references give the same event at every attempt, and the
 * record is stored once however many receivers there are.
 */
export interface EventPlan {
  /** `evt_` and 17 characters; the same for all receivers. */
  readonly handle: string;
  readonly signal: string;
  readonly members: Readonly<Record<string, EventMember>>;
}

/** The stored versions that an event is made of, each once. */
export function referencesOf({ members }: EventPlan): Reference[] {
  const found = new Map<string, Reference>();
  for (const member of Object.values(members)) {
    if ('value' in member) continue;
    const [kind, luid, change] = 'record' in member ? member.record : member.proof;
    found.set(referenceKey([kind, luid, change]), [kind, luid, change]);
  }
  return [...found.values()];
}

/** Names a version within its ledger. */
export function referenceKey([, luid, change]: Reference): string {
  return `${luid} ${change}`;
}

/**
 * The data of an event, members in alphabetical order (interface/effects#events).
 *
 * @param texts bodies of the versions it refers to, by `referenceKey`
 * @param turn awaited before each record is parsed, with the steps that this takes
 * @throws Error when one is missing
 */
export async function composeEvent(
  plan: EventPlan,
  texts: ReadonlyMap<string, string>,
  task: Pick<Task, 'turn'>,
): Promise<JsonObject> {
  const recordAt = async (reference: Reference) => {
    const text = texts.get(referenceKey(reference));
    if (text === undefined) throw new Error(`Version ${referenceKey(reference)} of event ${plan.handle} is missing.`);
    return readRecordText(task, text);
  };
  const data: JsonObject = { handle: plan.handle, signal: plan.signal };
  for (const [name, member] of Object.entries(plan.members)) {
    if ('value' in member) data[name] = member.value;
    else if ('record' in member) data[name] = (await recordAt(member.record)) as unknown as Json;
    else {
      const [kind, luid, change, index] = member.proof;
      const { meta } = await recordAt([kind, luid, change]);
      data[name] = [meta.proofs[index] as unknown as Json];
    }
  }
  return Object.fromEntries(Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1)));
}
