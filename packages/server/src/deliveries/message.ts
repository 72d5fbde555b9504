import { type JsonObject, readJson } from '@countersign/protocol';
import { type EventPlan, type Reference, referenceKey, referencesOf } from '../events/event.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { type Task, turnForText } from '../metering/task.js';
import { type CallPlan, composeCall, outputOfCall } from '../money/bridges.js';
import type { NewDelivery } from '../store/committer/write.js';
import { makeEvent, outputOf } from './output.js';

/** What a delivery brings: an event, or a call for an intent. */
export interface Message {
  /** What traits with a filter look at. */
  readonly data: JsonObject;
  /** The body as it is sent, at every attempt alike. @param signed moment of its proof: that of the first attempt */
  output(signed: Date): string;
}

/** The call that a delivery makes; undefined for an event. @param delivery verified */
export function callOfDelivery({ purpose, event }: NewDelivery): CallPlan | undefined {
  return purpose === undefined ? undefined : (readJson(event) as CallPlan);
}

/** The stored versions that the message is made of, each once. @param delivery verified */
export function referencesIn(delivery: NewDelivery): readonly Reference[] {
  const call = callOfDelivery(delivery);
  return call ? [call.intent] : referencesOf(readJson(delivery.event) as EventPlan);
}

/**
 * Makes the message of a delivery from the history.
 *
 * @param delivery verified
 * @param texts bodies of the versions that it refers to, by `referenceKey`
 * @param turn awaited before each piece of work
 * @throws Error when one is missing
 */
export async function makeMessage(
  { suite }: Pick<Service, 'suite'>,
  { system }: Pick<Ledger, 'system'>,
  delivery: NewDelivery,
  texts: ReadonlyMap<string, string>,
  task: Pick<Task, 'turn'>,
): Promise<Message> {
  const call = callOfDelivery(delivery);
  if (!call) {
    const event = await makeEvent(readJson(delivery.event) as EventPlan, texts, suite, task);
    return { data: event.data, output: (signed) => outputOf(event, system, signed) };
  }
  const text = texts.get(referenceKey(call.intent));
  if (text === undefined) throw new Error(`Version ${referenceKey(call.intent)} of a call is missing.`);
  await turnForText(task, text);
  const body = composeCall(call, text, suite);
  return { data: body.data, output: (signed) => outputOfCall(body, system, signed) };
}
