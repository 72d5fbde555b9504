import type { IntentState, PartStatus, ReportStatus, Side } from '../model.js';

/** What becomes of the parts of an intent. */

/** A part takes a report in these statuses only; any other is late, repeated or untrue, and changes nothing. */
const TAKES: Readonly<Record<ReportStatus, readonly PartStatus[]>> = {
  prepared: ['asked'],
  // A bridge that takes its word back before the intent is committed is believed: nothing has moved yet.
  failed: ['asked', 'prepared'],
  committed: ['committing'],
  aborted: ['aborting'],
};

/** The parts whose calls are on their way, or unanswered. */
const AWAITED: readonly PartStatus[] = ['asked', 'committing', 'aborting'];

/**
 * Asks bridges to prepare: those of debits first, those of credits when every debit is prepared, or when there is none
 * (interface/bridges#two-phases).
 *
 * @returns the same state while an answer is awaited, and when all parts are prepared
 */
export function askNext(state: IntentState): IntentState {
  if (state.parts.includes('asked')) return state;
  const side = (['debit', 'credit'] as const).find((one) => isIdle(state, one));
  if (side === undefined) return state;
  const parts = state.parts.map((status, part) => (sideOf(state, part) === side ? 'asked' : status));
  return { ...state, stage: `${side}s`, parts };
}

/** The state after a report of a part, which may leave it as it is. */
export function takeReport(state: IntentState, handle: string, status: ReportStatus): IntentState {
  const part = indexOfPart(state, handle);
  if (part < 0 || !TAKES[status].includes(state.parts[part]!)) return state;
  return { ...state, parts: state.parts.with(part, status) };
}

/** The state after its call was given up, which changes only once, and only while its answer is awaited. */
export function giveUp(state: IntentState, part: number): IntentState {
  const isNews = AWAITED.includes(state.parts[part]!) && !state.givenUp.includes(part);
  return isNews ? { ...state, givenUp: [...state.givenUp, part].sort((one, other) => one - other) } : state;
}

/** All parts are to commit. */
export function commitParts(state: IntentState): IntentState {
  return { ...state, stage: 'committing', parts: state.parts.map(() => 'committing'), givenUp: [] };
}

/** Each part that was asked is to abort, the one that failed among them. */
export function abortParts(state: IntentState): IntentState {
  const parts = state.parts.map((status) => (status === 'idle' ? 'idle' : 'aborting'));
  return { ...state, stage: 'aborting', parts, givenUp: [] };
}

/** Index of a part by its handle; -1 when the intent has none of that handle, or is not resolved. */
export function indexOfPart({ plan }: IntentState, handle: string): number {
  return plan?.parts.findIndex((part) => part.handle === handle) ?? -1;
}

function isIdle(state: IntentState, side: Side): boolean {
  return state.parts.some((status, part) => status === 'idle' && sideOf(state, part) === side);
}

function sideOf({ plan }: IntentState, part: number): Side | undefined {
  return plan?.parts[part]?.side;
}
