import { type JsonObject, luidId, luid as makeLuid } from '@countersign/protocol';
import type { Session } from '../../ledgers/session.js';
import type { NewDelivery } from '../../store/committer/write.js';
import type { Call, Member } from '../member.js';
import type { Part } from '../model.js';
import type { CallPlan } from './call-plan.js';
import { describeEntry } from './entry-data.js';

/** The deliveries of the calls that were decided on for an intent, in their order (interface/bridges#calls). */
export async function queueCalls(session: Session, member: Member): Promise<NewDelivery[]> {
  if (member.calls.length === 0) return [];
  await session.task.turn(CALL_STEPS * member.calls.length);
  return member.calls.map((call) => queueCall(session, member, call));
}

/** Steps that it takes to make a call and to store it (`limits.work`). */
const CALL_STEPS = 200;

function queueCall(session: Session, member: Member, call: Call): NewDelivery {
  const { integrity, ledger, runtime } = session;
  const { effect } = call;
  const seconds = Math.floor(runtime.now() / 1000);
  const part = effect.type === 'call' ? member.state.plan!.parts[effect.part]! : undefined;
  const plan = planCall(member, call, () => makeLuid('ben', seconds, runtime.random(11)));
  const bridge = effect.type === 'notify' ? effect.bridge : part!.bridge;
  const delivery = {
    handle: luidId(makeLuid('evd', seconds, runtime.random(11))),
    purpose: effect.type === 'notify' ? ('status' as const) : effect.verb,
    ...(part ? { entry: part.handle } : {}),
    bridge,
    target: `bridge:${bridge}`,
    record: 'intent' as const,
    linked: String(member.draft.record.data.handle),
    event: JSON.stringify(plan),
  };
  return { ...delivery, mac: integrity.deliveryMac(ledger.id, delivery) };
}

function planCall({ draft, state }: Member, { effect, change }: Call, newLuid: () => string): CallPlan {
  const { luid, data } = draft.record;
  const plan = state.plan!;
  const intent = ['intent', luid, change] as const;
  if (effect.type === 'notify') {
    return { method: 'PUT', path: `/intents/${encodeURIComponent(plan.intent)}`, intent, hasDomains: false };
  }
  const part = plan.parts[effect.part]!;
  const path = `/${part.side}s`;
  if (effect.verb !== 'prepare') {
    const said = { handle: part.handle, action: effect.verb };
    // The core has a part in what it aborts, but for what other intents send on.
    const hasDomains = effect.verb === 'abort' && !plan.isForward;
    return { method: 'POST', path: `${path}/${part.handle}/${effect.verb}`, data: said, intent, hasDomains };
  }
  const { handle, ...others } = describeEntry(part, plan.entries, data);
  const said: JsonObject = { handle, luid: newLuid(), ...others };
  return { method: 'POST', path, data: said, intent, hasDomains: isSecondPhase(part, plan.parts) };
}

/** Whether bridges of debits were asked before it. */
function isSecondPhase({ side }: Part, parts: readonly Part[]): boolean {
  return side === 'credit' && parts.some((one) => one.side === 'debit');
}
