import type { Signed } from '@countersign/client';
import { isObject, type Json, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { namedKey, type PlannedEntry, type ProvenIntent, proveIntent } from '@countersign/verifier/intent';

/** The keys that prove what an intent does. */
export interface MoneyKeys {
  readonly system: string;
  /** Of the signer `core`, which proves changes of balances; undefined for who may not read it. */
  readonly core: string | undefined;
}

/** A claim of an intent, with the wallets that it came to. */
export interface Leg {
  readonly action: string;
  readonly symbol: string;
  readonly amount: bigint;
  /** Of a claim that sets a limit. */
  readonly metric?: string;
  /** Addresses, as the claim has them: of a limit the wallet is the target. */
  readonly source: string | undefined;
  readonly target: string | undefined;
  readonly debit: PlannedEntry | undefined;
  readonly credit: PlannedEntry | undefined;
}

/** What an intent is in, or waits for (interface/intents#processing). */
export type IntentState =
  | 'accepted'
  | 'waiting'
  | 'debits'
  | 'credits'
  | 'held'
  | 'prepared'
  | 'committing'
  | 'aborting'
  | 'completed'
  | 'rejected';

/** The trail of an intent; the key of `core` is the one that its proofs name where the signer may not be read. */
export function proveIntentByKeys(record: Signed, { system, core }: MoneyKeys): ProvenIntent {
  return proveIntent(record as unknown as RecordEnvelope, {
    system,
    core: core ?? namedKey(record.meta.proofs, 'core'),
  });
}

/** The claims of an intent in order, those of the trail's entries beside them. */
export function legsOf(data: Signed['data'], entries: readonly PlannedEntry[]): Leg[] {
  return claimsOf(data).map((claim, at) => {
    const own = entries.filter((entry) => entry.claim === at);
    return {
      action: String(claim.action),
      symbol: addressOf(claim.symbol) ?? '',
      amount: integerOf(claim.amount),
      ...(typeof claim.metric === 'string' ? { metric: claim.metric } : {}),
      source: addressOf(claim.source),
      target: addressOf(claim.target ?? claim.wallet),
      debit: own.find(({ side }) => side === 'debit'),
      credit: own.find(({ side }) => side === 'credit'),
    };
  });
}

/** The state of an intent by its status and its proofs, and the bridges that it waits for. */
export function stateOf(record: Signed, proven: ProvenIntent): { state: IntentState; bridges: readonly string[] } {
  const status = String(record.meta.status);
  const waitFor = (state: IntentState, said: string, side?: PlannedEntry['side']) => ({
    state,
    bridges: bridgesWithout(said, proven, side),
  });
  if (status === 'completed' || status === 'rejected') return { state: status, bridges: [] };
  if (status === 'committed') return waitFor('committing', 'committed');
  if (status === 'aborted') return waitFor('aborting', 'aborted');
  if (status === 'prepared') {
    const { config } = record.data;
    const isManual = isObject(config as Json) && (config as JsonObject).commit === 'manual';
    return { state: isManual ? 'held' : 'prepared', bridges: [] };
  }
  const { entries, isReserved } = proven;
  if (entries.length === 0) return { state: 'accepted', bridges: [] };
  // The ledger resolves and reserves at once, unless a permission is missing; what it forwards itself reserves nothing.
  if (!isReserved && record.data.origin === undefined) return { state: 'waiting', bridges: [] };
  const debits = waitFor('debits', 'prepared', 'debit');
  return debits.bridges.length > 0 ? debits : waitFor('credits', 'prepared', 'credit');
}

/** When a pending intent expires, in milliseconds (interface/intents#expiry); undefined for one that does not. */
export function expiryOf(record: Signed, ledger: Signed): number | undefined {
  if (record.meta.status !== 'pending') return undefined;
  const { config } = ledger.data;
  const set = isObject(config as Json) ? (config as JsonObject)['intent.expiryThresholdMinutes'] : undefined;
  const created = record.meta.proofs.find(({ custom }) => custom?.status === 'created')?.custom?.moment;
  const from = [Date.parse(String(created)), Date.parse(String(record.meta.moment))].filter(
    (one) => !Number.isNaN(one),
  );
  return Math.min(...from) + (typeof set === 'number' ? set : 60) * 60_000;
}

/** An integer of the ledger, exactly; 0 for what is none. */
export function integerOf(value: unknown): bigint {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : 0n;
}

/** Bridges of entries of which no report says so. A bridge may report several entries as one group, under a name of its own. */
function bridgesWithout(said: string, { entries, steps }: ProvenIntent, side?: PlannedEntry['side']): string[] {
  const reports = steps.filter(({ step }) => step === 'other').flatMap(({ proofs }) => proofs);
  const reported = new Set(reports.filter(({ custom }) => custom?.status === said).map(({ custom }) => custom?.handle));
  const open = entries.filter((entry) => entry.bridge !== undefined && (side === undefined || entry.side === side));
  return [...new Set(open.filter(({ handle }) => !reported.has(handle)).map(({ bridge }) => String(bridge)))];
}

function claimsOf({ claims }: Signed['data']): JsonObject[] {
  return Array.isArray(claims) ? (claims as Json[]).filter(isObject) : [];
}

/** An address is a handle, or an object with one (interface/intents#claims). */
function addressOf(value: Json | undefined): string | undefined {
  const handle = isObject(value) ? value.handle : value;
  return typeof handle === 'string' ? handle : undefined;
}
