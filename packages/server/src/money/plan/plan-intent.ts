import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { domainsOf } from '../../kinds/intent.js';
import type { Session } from '../../ledgers/session.js';
import { normalizeClaims } from './claims.js';
import type { Directory } from './directory.js';
import { makeHandle } from './handles.js';
import { planParts } from './parts.js';
import { callerOfIntent, isPermitted, permissionsOf } from './permissions.js';
import type { Forward, IntentFailure, Named, Plan, Planned } from './plan.js';
import { type Resolved, resolveIntent } from './resolve.js';

/** Intents that follow from one another, the first included (interface/intents#forwarding). */
export const THREAD_SIZE = 10;

/**
 * Resolves an intent, and judges whether it is permitted: all that a decision takes, but for balances.
 *
 * @throws as `resolveIntent` does
 */
export async function planIntent(session: Session, directory: Directory, record: RecordEnvelope): Promise<Planned> {
  return plan(session, directory, record.data, record, { left: THREAD_SIZE });
}

/** @param room intents that the thread may still take, and one more, which is then found to be too many */
async function plan(
  session: Session,
  directory: Directory,
  data: JsonObject,
  record: RecordEnvelope | undefined,
  room: { left: number },
): Promise<Planned> {
  const resolved = await resolveIntent(data, directory, (bytes) => session.runtime.random(bytes), session.task);
  if ('failure' in resolved) return planOfFailure(resolved.failure, resolved.needs);
  const { entries, limits, parties } = resolved;
  const isPermitted = record === undefined || (await isIntentPermitted(session, record, resolved));
  const bridged = await planParts(session, directory, data, entries);
  if ('reason' in bridged) return planOfFailure(bridged, resolved.needs);
  const { commit } = (data.config ?? {}) as { commit?: string };
  const outcome: Plan = {
    intent: String(data.handle),
    entries,
    limits,
    parts: bridged.parts,
    isForward: data.origin !== undefined,
    isManual: commit === 'manual',
  };
  const forwards = isPermitted ? await planForwards(session, directory, data, outcome, room) : [];
  const needs = [...resolved.needs, ...bridged.needs, ...forwards.flatMap((one) => one.needs)];
  return { outcome, isPermitted, needs, parties, forwards };
}

function planOfFailure(outcome: IntentFailure, needs: readonly Named[]): Planned {
  return { outcome, isPermitted: false, needs, parties: [], forwards: [] };
}

async function isIntentPermitted(session: Session, record: RecordEnvelope, resolved: Resolved): Promise<boolean> {
  const { data } = record;
  if (data.origin !== undefined) return true;
  const caller = await callerOfIntent(session, record);
  return isPermitted(session, caller, permissionsOf(normalizeClaims(data), resolved));
}

/** The intents that forward the credits of one that is resolved. */
export async function planForwards(
  session: Session,
  directory: Directory,
  origin: JsonObject,
  { entries }: Plan,
  room: { left: number } = { left: THREAD_SIZE },
): Promise<Forward[]> {
  const forwards: Forward[] = [];
  for (const { wallet, symbol, amount, forwardTo } of entries) {
    if (forwardTo === undefined || room.left === 0) continue;
    room.left -= 1;
    const claim = {
      action: 'transfer',
      amount,
      source: { handle: wallet },
      symbol: { handle: symbol },
      target: { handle: forwardTo },
    };
    const data: JsonObject = {
      handle: makeHandle((bytes) => session.runtime.random(bytes)),
      claims: [claim],
      ...(origin.access === undefined ? {} : { access: origin.access }),
      origin: String(origin.handle),
    };
    const planned = await plan(session, directory, data, undefined, room);
    const domains = await domainsOf(data, {
      domainOf: async (_, handle) => (await directory.wallet(handle))?.record.meta.domain,
    });
    forwards.push({ ...planned, data, hash: hashOf(data, session.suite), domains });
  }
  return forwards;
}
