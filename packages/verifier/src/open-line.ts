import { isObject, type JsonObject, readJson, type StoredProof } from '@countersign/protocol';
import { entriesOf, limitDefect } from './intent-plan.js';
import type { StateLine } from './lines.js';

/** An intent under way, as its proofs tell. */
export interface UnderWay {
  readonly data: JsonObject;
  readonly resolved: readonly StoredProof[];
}

/** What a plan says beside what is signed: the luid of each wallet. */
interface PlannedWallet {
  readonly wallet: string;
  readonly luid: string;
}

/**
 * What is wrong with the state that the server keeps of an intent under way: what it will move must be what the proofs of
 * the intent say.
 *
 * @param intent undefined for a record that is none under way
 * @param isWallet whether the luid is that of a wallet of the handle
 */
export function openDefect(
  line: StateLine,
  intent: UnderWay | undefined,
  isWallet: (luid: string, handle: string) => boolean,
): string | undefined {
  if (!intent) return 'is not an intent under way';
  const state = parseState(String(line.state));
  if (!state || state.stage !== line.stage) return 'has a state that no intent has';
  const { plan } = state;
  if (plan === undefined) return intent.resolved.length > 0 ? 'is under way without a plan' : undefined;
  if (!isPlan(plan)) return 'has a state that no intent has';
  const { entries, limits } = plan;
  const other = 'is under way with another plan than its proofs give';
  const signed = entriesOf(intent.resolved);
  if (entries.length !== signed.length) return other;
  for (const [at, said] of signed.entries()) {
    const { handle, side, wallet, symbol, amount, bridge, claim } = entries[at]!;
    const kept = { handle, side, wallet, symbol, amount, bridge, claim };
    if (JSON.stringify(kept) !== JSON.stringify(said)) return other;
  }
  if (limitDefect(intent.data, limits)) return other;
  const placed = [...entries, ...limits] as unknown as PlannedWallet[];
  if (placed.some(({ luid, wallet }) => typeof luid !== 'string' || typeof wallet !== 'string')) return other;
  const stray = placed.find(({ luid, wallet }) => !isWallet(luid, wallet));
  return stray && `is under way with a wallet ${stray.wallet} that is another one`;
}

function parseState(text: string): JsonObject | undefined {
  const kept = parseOpenState(text);
  return isObject(kept) && isObject(kept.state) ? kept.state : undefined;
}

function isPlan(plan: unknown): plan is { entries: JsonObject[]; limits: JsonObject[] } {
  return isObject(plan) && [plan.entries, plan.limits].every((list) => Array.isArray(list) && list.every(isObject));
}

function parseOpenState(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
