import {
  hash as hashOf,
  type Json,
  type JsonObject,
  luidId,
  luid as makeLuid,
  type RecordEnvelope,
  readJson,
  type Suite,
} from '@countersign/protocol';
import type { Reference } from '../events/event.js';
import type { Countersigner } from '../keys/countersigner.js';
import type { Session } from '../ledgers/session.js';
import type { NewDelivery } from '../store/committer/write.js';
import type { OpenIntents } from '../store/money/open-intents.js';
import type { Call, Intent, IntentEvent, IntentState } from './intent.js';
import { AWAITED, indexOfPart } from './machine.js';
import { describeEntry } from './plan/parts.js';
import type { Part } from './plan/plan.js';

/**
 * A call of a bridge as the outbox keeps it: the version of the intent that it shows, and what else its body says. Versions
 * never change, so the body is the same at every attempt.
 */
export interface CallPlan {
  /** Method and path below the bridge's server. */
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  /** The members of `data` beside the intent; absent where the body is the intent itself. */
  readonly data?: JsonObject;
  readonly intent: Reference;
  /** Whether the intent is shown with `meta.domains`. */
  readonly hasDomains: boolean;
}

/** The body of a call before it is signed. */
export interface CallBody {
  /** What traits with a filter look at. */
  readonly data: JsonObject;
  /** Absent where the body is the intent itself, with its own proofs. */
  readonly hash?: string;
  readonly record: RecordEnvelope;
}

/** @param text of the version that the plan refers to */
export function composeCall({ data, hasDomains }: CallPlan, text: string, suite: Suite): CallBody {
  const { hash, data: said, luid, meta } = readJson(text) as RecordEnvelope;
  const { domains, ...others } = meta as RecordEnvelope['meta'] & { domains?: Json };
  const record: RecordEnvelope = hasDomains
    ? { hash, data: said, luid, meta }
    : { hash, data: said, luid, meta: others };
  if (!data) return { data: said, record };
  const whole: JsonObject = { ...data, intent: record as unknown as Json };
  return { data: whole, hash: hashOf(whole, suite), record };
}

/**
 * The body that a bridge is sent (interface/bridges#calls). Signatures of Ed25519 are deterministic, so it is the same text at
 * every attempt.
 *
 * @param signed moment of the proof, which is that of the first attempt
 */
export function outputOfCall({ data, hash, record }: CallBody, system: Countersigner, signed: Date): string {
  if (hash === undefined) return JSON.stringify(record);
  return JSON.stringify({ hash, data, meta: { proofs: [system.stored(hash, { moment: signed.toISOString() })] } });
}

/** The deliveries of the calls that were decided on for an intent, in their order (interface/bridges#calls). */
export async function queueCalls(intent: Intent): Promise<NewDelivery[]> {
  const { calls, session } = intent;
  if (calls.length === 0) return [];
  await session.task.turn(CALL_STEPS * calls.length);
  return calls.map(({ call, change }) => queueCall(intent, call, change));
}

/** Steps that it takes to make a call and to store it (`workLimits`). */
const CALL_STEPS = 200;

function queueCall(intent: Intent, call: Call, change: number): NewDelivery {
  const { integrity, ledger, runtime } = intent.session;
  const seconds = Math.floor(runtime.now() / 1000);
  const part = call.type === 'call' ? intent.state.plan!.parts[call.part]! : undefined;
  const plan = planCall(intent, call, change, () => makeLuid('ben', seconds, runtime.random(11)));
  const bridge = call.type === 'notify' ? call.bridge : part!.bridge;
  const delivery = {
    handle: luidId(makeLuid('evd', seconds, runtime.random(11))),
    purpose: call.type === 'notify' ? ('status' as const) : call.verb,
    ...(part ? { entry: part.handle } : {}),
    bridge,
    target: `bridge:${bridge}`,
    record: 'intent' as const,
    linked: String(intent.record.data.handle),
    event: JSON.stringify(plan),
  };
  return { ...delivery, mac: integrity.deliveryMac(ledger.id, delivery) };
}

function planCall({ record, state }: Intent, call: Call, change: number, newLuid: () => string): CallPlan {
  const { luid, data } = record;
  const plan = state.plan!;
  const intent = ['intent', luid, change] as const;
  if (call.type === 'notify') {
    return { method: 'PUT', path: `/intents/${encodeURIComponent(plan.intent)}`, intent, hasDomains: false };
  }
  const part = plan.parts[call.part]!;
  const path = `/${part.side}s`;
  if (call.verb !== 'prepare') {
    const said = { handle: part.handle, action: call.verb };
    // The core has a part in what it aborts, but for what other intents send on.
    const hasDomains = call.verb === 'abort' && !plan.isForward;
    return { method: 'POST', path: `${path}/${part.handle}/${call.verb}`, data: said, intent, hasDomains };
  }
  const { handle, ...others } = describeEntry(part, plan.entries, data);
  const said: JsonObject = { handle, luid: newLuid(), ...others };
  return { method: 'POST', path, data: said, intent, hasDomains: isSecondPhase(part, plan.parts) };
}

/** Whether bridges of debits were asked before it. */
function isSecondPhase({ side }: Part, parts: readonly Part[]): boolean {
  return side === 'credit' && parts.some((one) => one.side === 'debit');
}

/**
 * The calls of an intent that were given up while their answers are awaited, and that is not noted yet
 * (interface/bridges#failures).
 *
 * @throws Error when one is not what the ledger stored
 */
export async function findGivenUp(
  session: Session,
  openIntents: OpenIntents,
  state: IntentState,
): Promise<IntentEvent[]> {
  const { ledger, integrity } = session;
  const isAwaiting = state.parts.some((status, part) => AWAITED[status] && !state.givenUp.includes(part));
  if (!isAwaiting) return [];
  const calls = await openIntents.givenUp(ledger.id, state.plan!.intent);
  return calls.flatMap((call): IntentEvent[] => {
    const { handle, purpose, entry = '', why, whyMac, ...others } = call;
    const part = indexOfPart(state, entry);
    if (part < 0 || purpose === undefined || AWAITED[state.parts[part]!] !== purpose) return [];
    const luid = `$evd.${handle}`;
    const isStored = integrity.deliveryMac(ledger.id, { ...others, handle, purpose, entry }) === call.mac;
    if (!isStored || integrity.openMac(ledger.id, luid, why) !== whyMac) {
      return integrity.refuse({ ledger: ledger.luid, luid, change: 1 }, 'is not the text that was stored');
    }
    return [{ type: 'gave-up', part: entry, detail: why }];
  });
}
