import { type JsonObject, LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import { Overloaded } from '../base/gather.js';
import { type Reference, referenceKey } from '../events/event.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Cost } from '../metering/cost.js';
import { HandshakesResting } from '../outbound/handshakes.js';
import type { DueDelivery } from '../store/outbox/deliveries.js';
import type { DeliveryState, GivenUpNote } from '../store/outbox/settle-deliveries.js';
import { isUnavailable } from '../store/unavailable.js';
import { openCall } from './call-receiver.js';
import { deliveryLimits } from './delivery-limits.js';
import type { DeliveryDeps } from './engine.js';
import { callOfDelivery, type Message, makeMessage, referencesIn } from './message.js';
import { type AttemptOutcome, outcomeOfError } from './outcome.js';
import { openReceiver, type Send } from './receiver.js';
import { settleAttempt } from './settle.js';
import { isAsQueued, toDeliveryLuid, verifyDelivery } from './verify.js';

/** Deliveries that were started together, with the short versions that fit into one read. */
export interface DeliveryBatch {
  readonly ledger: Ledger;
  /** Emptied when all bodies are made: an attempt may take long, and needs its body alone. */
  readonly texts: Map<string, string>;
  /** Deliveries whose body is still to be made. */
  unmade: number;
}

/**
 * Reads what a batch of deliveries needs. Where something of one cannot be read, each attempt reads its own, and that one
 * fails alone.
 */
export async function openBatch(
  engine: DeliveryDeps,
  ledger: Ledger,
  deliveries: readonly DueDelivery[],
): Promise<DeliveryBatch> {
  const references = new Map(
    deliveries
      .filter((one) => one.isWanted && isAsQueued(engine.service, ledger, one))
      .flatMap((one) => versionsNeeded(one).map((part) => [referenceKey(part), part] as const)),
  );
  try {
    const texts = await engine.versions.readShort(ledger.id, [...references.values()]);
    return { ledger, texts, unmade: deliveries.length };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return { ledger, texts: new Map(), unmade: deliveries.length };
  }
}

/** The versions of records that an attempt is made of: those of the message, and that of the effect. */
function versionsNeeded(delivery: DueDelivery): readonly Reference[] {
  const { effect, effectChange } = delivery;
  const references = referencesIn(delivery);
  return effect === undefined ? references : [['effect', effect, effectChange!], ...references];
}

/**
 * Makes one attempt, and stores its outcome.
 *
 * @param signal gives the attempt up: nothing is stored of it, and it is made again
 * @param delivered called when the receiver has taken it, before that is stored
 * @returns `delivered`, `failed`, `unwanted`, `expired` or `put-off` where nobody was called, or `later` where the process has
 *   no room for it now
 * @throws when the outcome could not be stored
 */
export async function attemptDelivery(
  engine: DeliveryDeps,
  batch: DeliveryBatch,
  delivery: DueDelivery,
  signal: AbortSignal,
  delivered: () => void,
): Promise<Exclude<AttemptOutcome['kind'], 'withdrawn'> | 'later'> {
  const { service, report } = engine;
  const { ledger } = batch;
  const began = service.runtime.now();
  const outcome = await service.tracing.root('delivery', () => makeAttempt(engine, batch, delivery, signal), {
    'countersign.ledger': ledger.handle,
    'countersign.delivery': delivery.handle,
  });
  if (outcome === 'later') return 'later';
  // What the receiver has taken is stored though the process stops.
  if (signal.aborted && outcome.kind !== 'delivered') return 'later';
  if (outcome.kind === 'delivered') delivered();
  if (outcome.kind === 'withdrawn') {
    await engine.store.withdraw(ledger.id, delivery.handle);
    return 'unwanted';
  }
  if (outcome.kind === 'put-off') {
    // Spread, so that those of one ledger have their turns: one that takes long has the others wait again.
    const share = Buffer.from(service.runtime.random(4)).readUInt32LE() / 2 ** 32;
    const due = new Date(service.runtime.now() + outcome.milliseconds * (1 + share));
    await engine.store.putOff(ledger.id, delivery.handle, due);
    return 'put-off';
  }
  const waited = delivery.attempts === 0 ? (began - delivery.moment.getTime()) / 1000 : undefined;
  report.attempted(describeOutcome(outcome), (service.runtime.now() - began) / 1000, waited);
  const { retryFor } = engine.bounds;
  const { runtime, suite } = service;
  const deps = { ledger: ledger.id, system: ledger.system, runtime, suite, retryFor };
  const settled = settleAttempt(deps, delivery, outcome);
  const note = outcome.kind === 'failed' ? noteOf(service, ledger, delivery, settled, outcome) : undefined;
  if (settled.status === 'cancelled' && outcome.kind !== 'unwanted') {
    const { handle, effectHandle: effect, purpose: call, target } = delivery;
    const about = { effect, call };
    const { error, detail = undefined } = outcome.kind === 'failed' ? outcome : {};
    report.gaveUp({ ledger: ledger.handle, ...about, delivery: handle, target }, error ?? detail);
  }
  await engine.settle({ ...settled, note }, signal);
  if (note) service.intentsDue();
  // Deliveries that were set aside for the same receiver may be taken up.
  if (outcome.kind !== 'failed' && settled.lesson) engine.goOn();
  return outcome.kind;
}

/**
 * What is noted on the intent of a call that was attempted as often as its schedule says (interface/bridges#failures). Nothing
 * for events, and for calls that tell of a status. Further attempts may yet succeed.
 */
function noteOf(
  { integrity }: DeliveryDeps['service'],
  { id }: Ledger,
  delivery: DueDelivery,
  { status, aside }: DeliveryState,
  outcome: AttemptOutcome & { readonly kind: 'failed' },
): GivenUpNote | undefined {
  const isExhausted = status === 'cancelled' || aside !== undefined;
  if (!isExhausted || outcome.isUnsigned || delivery.aside !== null) return undefined;
  if (delivery.purpose === undefined || delivery.purpose === 'status') return undefined;
  const [, intent] = callOfDelivery(delivery)!.intent;
  const detail = outcome.note ?? describeForIntent(outcome.detail);
  return { intent, detail, mac: integrity.openMac(id, toDeliveryLuid(delivery.handle), detail) };
}

function describeForIntent(detail: JsonObject = {}): string {
  const { httpStatus, message } = detail;
  if (httpStatus !== undefined) return `Request failed with status code ${httpStatus}`;
  return typeof message === 'string' ? message : 'The bridge could not be called';
}

/** @returns `later` where the process has no room for it now */
async function makeAttempt(
  engine: DeliveryDeps,
  batch: DeliveryBatch,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome | 'later'> {
  const release = releaseOnce(batch);
  try {
    verifyDelivery(engine.service, batch.ledger, delivery);
  } catch (error) {
    release();
    // Nothing of an altered row is parsed, sent or signed.
    return { ...outcomeOfError(error), isUnsigned: true };
  }
  try {
    if (!delivery.isWanted) return { kind: 'unwanted' };
    if (isTimeOver(engine, delivery)) return { kind: 'expired' };
    const bytes = await sizeOfEvent(engine, batch, delivery);
    if (bytes <= deliveryLimits.short) return await deliver(engine, batch, delivery, release, signal);
    return await engine.longEvents(batch.ledger.id, COPIES * bytes, () =>
      deliver(engine, batch, delivery, release, signal),
    );
  } catch (error) {
    if (error instanceof HandshakesResting && !signal.aborted)
      return { kind: 'put-off', milliseconds: error.milliseconds };
    if (signal.aborted || hasNoRoom(error)) return 'later';
    // Without its database the process can tell nothing of the delivery.
    if (isUnavailable(error)) throw error;
    return outcomeOfError(error);
  } finally {
    release();
  }
}

/** Whether the time for further attempts is over. */
function isTimeOver({ bounds, service }: DeliveryDeps, { aside }: DueDelivery): boolean {
  return aside !== null && aside.getTime() + bounds.retryFor <= service.runtime.now();
}

/** Whether the process is too busy: that is no failure of the receiver's. */
function hasNoRoom(error: unknown): boolean {
  return error instanceof Overloaded || (error instanceof LedgerError && error.reason === 'api.request-timeout');
}

/** Says once that the body of a delivery is made, or will not be. */
function releaseOnce(batch: DeliveryBatch): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    batch.unmade -= 1;
    if (batch.unmade === 0) batch.texts.clear();
  };
}

/** Bytes of the versions that an event is made of; of those that were read, their characters. */
async function sizeOfEvent(
  { store }: DeliveryDeps,
  { ledger, texts }: DeliveryBatch,
  delivery: DueDelivery,
): Promise<number> {
  const parts = versionsNeeded(delivery);
  const missing = parts.filter((part) => !texts.has(referenceKey(part)));
  const sizes = parts.map((part) => texts.get(referenceKey(part))?.length ?? 0);
  const others = missing.length > 0 ? await store.size(ledger.id, missing) : 0;
  return sizes.reduce((sum, size) => sum + size, others);
}

/** How often an event is held while it is made and sent: as text, parsed, and as the body. */
const COPIES = 4;

/** @param made called when the body is made, so that what it was made of is let go while the receiver takes its time */
async function deliver(
  engine: DeliveryDeps,
  batch: DeliveryBatch,
  delivery: DueDelivery,
  made: () => void,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const prepared = await prepareAttempt(engine, batch, delivery, signal);
  made();
  if ('kind' in prepared) return prepared;
  return prepared.send(prepared.body, signal);
}

/** Makes the body of an attempt, and opens the way to its receiver. @returns an outcome where nothing is to be sent */
async function prepareAttempt(
  engine: DeliveryDeps,
  batch: DeliveryBatch,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<{ readonly body: string; readonly send: Send } | AttemptOutcome> {
  const { ledger } = batch;
  const { scheduler } = engine.service;
  const missing = versionsNeeded(delivery).filter((part) => !batch.texts.has(referenceKey(part)));
  const others = missing.length > 0 ? await engine.versions.readAll(ledger.id, missing) : undefined;
  const texts = others ? new Map([...batch.texts, ...others]) : batch.texts;
  const task = scheduler.task(ledger.id, () => signal.aborted);
  await task.turn();
  const message = await makeMessage(engine.service, ledger, delivery, texts, task);
  const send = await openWay(engine, ledger, delivery, message, texts, task);
  if (!send) return delivery.attempts === 0 ? { kind: 'withdrawn' } : { kind: 'unwanted' };
  await task.turn();
  return { body: message.output(delivery.signed), send };
}

/** Opens the way to the receiver. @returns undefined where nobody is to be called */
function openWay(
  engine: DeliveryDeps,
  ledger: Ledger,
  delivery: DueDelivery,
  message: Message,
  texts: ReadonlyMap<string, string>,
  task: Cost,
): Promise<Send | undefined> {
  if (delivery.purpose !== undefined) return openCall(engine, ledger, delivery, message, task);
  const { effect, effectChange } = delivery;
  const text = texts.get(referenceKey(['effect', effect!, effectChange!]));
  if (text === undefined) throw new Error(`Effect ${effect} has no version ${effectChange}.`);
  return openReceiver(engine, ledger, readJson(text) as RecordEnvelope, message.data, task);
}

function describeOutcome(outcome: AttemptOutcome): string {
  if (outcome.kind !== 'failed') return outcome.kind;
  const { reason } = outcome;
  if (reason === 'delivery.unexpected-error') return 'error';
  return reason === 'delivery.target-rejected' ? 'rejected' : 'unreachable';
}
