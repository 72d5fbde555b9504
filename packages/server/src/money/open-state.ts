import { type JsonObject, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Session } from '../ledgers/session.js';
import type { OpenIntentWrite } from '../store/committer/settlement.js';
import { type HeldName, nameUse } from '../store/money/holds.js';
import type { StoredOpenIntent } from '../store/money/open-intents.js';
import type { Intent, IntentState } from './intent.js';
import { normalizeClaims } from './plan/claims.js';

/** Minutes after which a pending intent expires, where the ledger's configuration says nothing (interface/intents#expiry). */
const EXPIRES = 60;

/** What is kept of an intent that is not final. */
export interface OpenState {
  readonly state: IntentState;
  /** Proofs of the record that the state knows of: later ones are reports to take. */
  readonly seen: number;
  /** The UTC day on which it was counted against daily limits. */
  readonly day?: string;
}

/** The row of an intent that stays open: due at once where it is still to be resolved. */
export function formatOpen({ session, record, state, day, input, proofCount }: Intent): OpenIntentWrite {
  const { integrity, ledger } = session;
  const { luid, meta } = record;
  const kept: OpenState = { state, seen: proofCount, ...(day === undefined ? {} : { day }) };
  const text = JSON.stringify(kept);
  const deadline = isPending(state) ? deadlineOf(session, record) : undefined;
  return {
    luid,
    thread: meta.thread ?? '',
    was: input.open?.row.version ?? 0,
    wasDue: input.open?.row.due ?? undefined,
    stage: state.stage,
    uses: usesOf(ledger.id, state, record.data),
    state: text,
    mac: integrity.openMac(ledger.id, luid, text),
    ...(state.stage === 'accepted' ? { due: meta.moment } : {}),
    ...(deadline === undefined ? {} : { deadline }),
  };
}

/**
 * The wallets, symbols and bridges that an intent under way keeps from being dropped. One that is not resolved yet has
 * symbols only: its amounts were meant in their units.
 *
 * @param data of the intent
 */
export function usesOf(ledger: number, { plan }: IntentState, data: JsonObject = {}): string[] {
  if (!plan) {
    const symbols = normalizeClaims(data).map(({ symbol }) => nameUse(ledger, { by: 'symbol', id: symbol.handle }));
    return [...new Set(symbols)];
  }
  const moved = [...plan.entries, ...plan.limits];
  const held: HeldName[] = [
    ...moved.flatMap(({ luid, symbol }) => [
      { by: 'wallet', id: luid } as const,
      { by: 'symbol', id: symbol } as const,
    ]),
    ...plan.parts.map(({ bridge }) => ({ by: 'bridge', id: bridge }) as const),
  ];
  return [...new Set(held.map((one) => nameUse(ledger, one)))];
}

/** What is kept of an intent. @throws Error when it is not what the ledger stored */
export function parseOpen({ integrity, ledger }: Session, { luid, state, mac }: StoredOpenIntent): OpenState {
  if (integrity.openMac(ledger.id, luid, state) !== mac) {
    return integrity.refuse({ ledger: ledger.luid, luid, change: 0 }, 'is not the text that was stored');
  }
  return readJson(state) as OpenState;
}

/** Only pending intents expire (interface/intents#expiry). */
function isPending({ stage }: IntentState): boolean {
  return stage === 'accepted' || stage === 'waiting' || stage === 'debits' || stage === 'credits';
}

/**
 * When a pending intent expires: its age counts from the moment that the proof with status `created` says, or from that
 * of the record, where the proof says a later one or none.
 */
function deadlineOf({ ledger }: Session, { meta }: RecordEnvelope): string {
  const minutes = ledger.config['intent.expiryThresholdMinutes'];
  const said = meta.proofs.find(({ custom }) => custom?.status === 'created')?.custom?.moment;
  const created = Date.parse(meta.moment);
  const from = typeof said === 'string' ? Date.parse(said) : Number.NaN;
  const begin = Number.isNaN(from) ? created : Math.min(from, created);
  const end = begin + (typeof minutes === 'number' ? minutes : EXPIRES) * 60_000;
  return new Date(Math.min(end, GREATEST_MOMENT)).toISOString();
}

/** 9999-12-31T23:59:59.999Z: later ones have more digits. */
const GREATEST_MOMENT = 253_402_300_799_999;
