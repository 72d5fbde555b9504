import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { domainsOf } from '../kinds/intent.js';
import type { Session } from '../ledgers/session.js';
import { planParts } from './calls/plan-parts.js';
import type { Named, Part, Plan } from './model.js';
import { callerOfIntent } from './resolution/caller.js';
import { claimsOf } from './resolution/claims.js';
import type { Directory } from './resolution/directory.js';
import { makeHandle } from './resolution/handles.js';
import { isPermitted, permissionsOf } from './resolution/permit.js';
import { type Resolution, type Resolved, resolveIntent, type Unresolved } from './resolution/resolve.js';
import { THREAD_SIZE } from './thread-size.js';

/** What was found about an intent before it is decided on. It rests on records whose versions the commit compares. */
export interface Prepared {
  readonly resolution: Resolution;
  readonly isPermitted: boolean;
  /** Absent for one that does not resolve. */
  readonly plan?: Plan;
  /** The bridges that its plan rests on. */
  readonly bridges: readonly Named[];
  /** The intents that forward its credits, as they would be made. */
  readonly forwards: readonly PreparedForward[];
}

/** An intent of the ledger's own that forwards a credit (interface/intents#forwarding). */
export interface PreparedForward {
  readonly data: JsonObject;
  readonly hash: string;
  /** Of the wallets that it names. */
  readonly domains: readonly string[];
  readonly prepared: Prepared;
}

/** What it takes to prepare an intent. */
export interface Preparation {
  readonly session: Session;
  readonly directory: Directory;
}

/** Resolves an intent, and judges whether it is permitted. @throws as `resolveIntent` does */
export async function prepareIntent(preparation: Preparation, record: RecordEnvelope): Promise<Prepared> {
  return prepare(preparation, record.data, record, { left: THREAD_SIZE });
}

/** @param room intents that the thread may still take, and one more, which is then found to be too many */
async function prepare(
  preparation: Preparation,
  data: JsonObject,
  record: RecordEnvelope | undefined,
  room: { left: number },
): Promise<Prepared> {
  const { session, directory } = preparation;
  const random = (bytes: number) => session.runtime.random(bytes);
  const resolution = await resolveIntent(data, directory, random, session.task);
  if ('failure' in resolution) return unresolved(resolution);
  const permitted = record === undefined || (await isIntentPermitted(session, record, data, resolution));
  const planned = await planParts(session, directory, data, resolution.entries);
  if ('reason' in planned) return unresolved({ failure: planned, needs: resolution.needs });
  const plan = planOf(data, resolution, planned.parts);
  const forwards = permitted ? await prepareForwards(preparation, data, plan, room) : [];
  return { resolution, isPermitted: permitted, plan, bridges: planned.needs, forwards };
}

function unresolved(resolution: Unresolved): Prepared {
  return { resolution, isPermitted: false, bridges: [], forwards: [] };
}

async function isIntentPermitted(
  session: Session,
  record: RecordEnvelope,
  data: JsonObject,
  resolution: Resolved,
): Promise<boolean> {
  if (data.origin !== undefined) return true;
  const caller = await callerOfIntent(session, record);
  return isPermitted(session, caller, permissionsOf(claimsOf(data), resolution));
}

function planOf(data: JsonObject, { entries, limits }: Resolved, parts: readonly Part[]): Plan {
  const { commit } = (data.config ?? {}) as { commit?: string };
  return {
    intent: String(data.handle),
    entries,
    limits,
    parts,
    isForward: data.origin !== undefined,
    isManual: commit === 'manual',
  };
}

/** The intents that forward the credits of one that is resolved. */
export async function prepareForwards(
  preparation: Preparation,
  origin: JsonObject,
  { entries }: Plan,
  room: { left: number } = { left: THREAD_SIZE },
): Promise<PreparedForward[]> {
  const forwards: PreparedForward[] = [];
  const { session, directory } = preparation;
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
    const prepared = await prepare(preparation, data, undefined, room);
    const domains = await domainsOf(data, {
      domainOf: async (_, handle) => (await directory.wallet(handle))?.record.meta.domain,
    });
    forwards.push({ data, hash: hashOf(data, session.suite), domains, prepared });
  }
  return forwards;
}

/** The records that an intent was prepared with, those of its forwards included. */
export function neededBy({ resolution, bridges, forwards }: Prepared): readonly Named[] {
  return [...resolution.needs, ...bridges, ...forwards.flatMap(({ prepared }) => neededBy(prepared))];
}

/** The wallets and symbols of balances that a decision on it may read. */
export function placesOf({ plan, forwards }: Prepared): { wallet: string; symbol: string }[] {
  const own = plan ? [...plan.entries, ...plan.limits].map(({ luid, symbol }) => ({ wallet: luid, symbol })) : [];
  return [...own, ...forwards.flatMap(({ prepared }) => placesOf(prepared))];
}
