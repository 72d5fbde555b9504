import { TRAIL, TRAIL_START, type TrailStep } from '@countersign/protocol/trail';
import type { Effect, Failure, IntentEvent, IntentState, Part, PlannedProof, Stage, Step } from '../model.js';
import { aborted, expired, prepareFailed } from './failures.js';
import { abortParts, askNext, commitParts, giveUp, indexOfPart, takeReport } from './parts.js';
import {
  clearedProofs,
  clearedStep,
  failedProof,
  hasReservation,
  plainProof,
  releasedProofs,
  reservedProofs,
  resolvedProofs,
  unreachableProof,
} from './trail.js';

/** Where every intent begins: stored, with the proofs of its creation. */
export const ACCEPTED: IntentState = { stage: 'accepted', parts: [], givenUp: [], isRouted: false };

type Event<Type extends IntentEvent['type']> = Extract<IntentEvent, { type: Type }>;

/** The state that follows; adds what is to be done to the effects. */
type Transition<Type extends IntentEvent['type']> = (
  state: IntentState,
  event: Event<Type>,
  effects: Effect[],
) => IntentState;

/**
 * What follows when something happens to an intent (interface/intents#trails). It decides alone: without clock, chance or
 * look at anything else. An event that comes too late, twice or untruly leaves the very same state, without effects.
 */
export function step(state: IntentState, event: IntentEvent): Step {
  const effects: Effect[] = [];
  const transition = transitions[event.type] as Transition<IntentEvent['type']>;
  return { state: transition(state, event, effects), effects };
}

const transitions: { readonly [Type in IntentEvent['type']]: Transition<Type> } = {
  unresolved: (state, { failure }, effects) => (state.stage === 'accepted' ? fail(state, failure, effects) : state),
  resolved: resolve,
  report,
  'gave-up': noteGivenUp,
  // One that is not resolved yet will be, before its age counts.
  expired: (state, _, effects) =>
    state.plan !== undefined && isPending(state) ? fail(state, expired(state.plan), effects) : state,
  full: (state, { failure }, effects) =>
    state.plan !== undefined && (isPending(state) || isPrepared(state)) ? fail(state, failure, effects) : state,
  'thread-prepared': (state, _, effects) => (state.stage === 'prepared' ? commit(state, effects) : state),
  'thread-failed': (state, { failure }, effects) =>
    (isPending(state) || isPrepared(state)) && isInThread(state) ? abort(state, failure, effects) : state,
  decided: decide,
};

function resolve(state: IntentState, event: Event<'resolved'>, effects: Effect[]): IntentState {
  if (state.stage !== 'accepted') return state;
  const { plan, isPermitted, refusal } = event;
  const resolved: IntentState = { ...state, stage: 'waiting', plan, parts: plan.parts.map(() => 'idle') };
  // Claims that set limits have no entries: a version that says nothing new is not stored.
  if (plan.entries.length > 0) save(resolved, 'resolved', resolvedProofs(plan), effects, { raises: false });
  // The route that made a forward intent stands for the permission.
  if (!isPermitted && !plan.isForward) return resolved;
  if (refusal !== undefined) return fail(resolved, refusal, effects);
  const asked = askNext(resolved);
  // Bridges that are asked at once see the intent without the proofs of the core.
  call(resolved, asked, effects);
  if (hasReservation(plan)) save(asked, 'reserved', reservedProofs(plan), effects, { raises: false });
  return asked === resolved ? prepare(asked, effects) : asked;
}

function report(state: IntentState, event: Event<'report'>, effects: Effect[]): IntentState {
  const taken = takeReport(state, event.part, event.status);
  if (taken === state) return state;
  switch (event.status) {
    case 'prepared': {
      const asked = askNext(taken);
      call(taken, asked, effects);
      return asked.parts.every((status) => status === 'prepared') ? prepare(asked, effects) : asked;
    }
    case 'failed':
      return fail(taken, prepareFailed(partOf(taken, event.part)), effects);
    case 'committed':
      return complete(taken, effects);
    case 'aborted':
      return reject(taken, effects);
  }
}

/** The note says that a bridge is out of reach, once per call; what the bridge says later counts all the same. */
function noteGivenUp(state: IntentState, { part, detail }: Event<'gave-up'>, effects: Effect[]): IntentState {
  const noted = giveUp(state, indexOfPart(state, part));
  if (noted !== state) save(noted, 'note', [unreachableProof(detail)], effects);
  return noted;
}

function decide(state: IntentState, { action }: Event<'decided'>, effects: Effect[]): IntentState {
  if (state.stage !== 'held') return state;
  if (action === 'abort') return fail(state, aborted(state.plan!), effects);
  return join({ ...state, stage: 'prepared' }, effects);
}

/** Every part is prepared. What credits are forwarded by is made now, even if a signer is still to decide. */
function prepare(state: IntentState, effects: Effect[]): IntentState {
  const { plan } = state;
  const prepared: IntentState = { ...state, stage: plan!.isManual ? 'held' : 'prepared' };
  save(prepared, 'prepared', [plainProof('prepared')], effects);
  // Bridges are shown the intent before it is routed: of what they are told, only the end says that it was.
  notify(prepared, effects);
  const routed: IntentState = { ...prepared, isRouted: true };
  addVersion(routed, [], effects, { raises: false });
  if (forwards(routed)) effects.push({ type: 'forward' });
  return plan!.isManual ? routed : join(routed, effects);
}

/** One that is alone commits; the others wait for their thread, which commits as one (interface/intents#forwarding). */
function join(state: IntentState, effects: Effect[]): IntentState {
  if (!isInThread(state)) return commit(state, effects);
  effects.push({ type: 'tell-thread', outcome: 'prepared' });
  return state;
}

/** From here on it does not fail. Bridges see the intent before balances have changed. */
function commit(state: IntentState, effects: Effect[]): IntentState {
  const committing = commitParts(state);
  save(committing, 'committed', [plainProof('committed')], effects);
  call(state, committing, effects);
  save(committing, clearedStep(committing.plan!), clearedProofs(committing.plan!), effects);
  return complete(committing, effects);
}

/** Completes it when every part has committed. */
function complete(state: IntentState, effects: Effect[]): IntentState {
  if (state.parts.includes('committing')) return state;
  return end({ ...state, stage: 'completed' }, 'completed', effects);
}

/** Fails for a reason of its own: its thread is to fail with it. */
function fail(state: IntentState, failure: Failure, effects: Effect[]): IntentState {
  const ended = abort(state, failure, effects);
  if (isInThread(state)) effects.push({ type: 'tell-thread', outcome: 'failed' });
  return ended;
}

/** Aborts it, at the bridges too: money that is reserved comes back before they answer. */
function abort(state: IntentState, failure: Failure, effects: Effect[]): IntentState {
  save(state, 'failed', [failedProof(failure)], effects);
  const aborting: IntentState = { ...abortParts(state), failure };
  save(aborting, 'aborted', [plainProof('aborted')], effects);
  if (isReserved(state)) save(aborting, 'released', releasedProofs(state.plan!), effects, { raises: false });
  call(state, aborting, effects);
  return reject(aborting, effects);
}

/** Rejects it when every part that was asked has aborted. */
function reject(state: IntentState, effects: Effect[]): IntentState {
  if (state.parts.includes('aborting')) return state;
  return end({ ...state, stage: 'rejected' }, 'rejected', effects);
}

function end(state: IntentState, step: 'completed' | 'rejected', effects: Effect[]): IntentState {
  save(state, step, [plainProof(step)], effects);
  notify(state, effects);
  return state;
}

/** Adds the version that tells of a step, and moves amounts as the step says. */
function save(
  state: IntentState,
  step: TrailStep,
  proofs: readonly PlannedProof[],
  effects: Effect[],
  options?: { readonly raises: boolean },
): void {
  addVersion(state, proofs, effects, options);
  const { move } = TRAIL[step];
  if (move) effects.push({ type: 'move', move });
}

function addVersion(
  state: IntentState,
  proofs: readonly PlannedProof[],
  effects: Effect[],
  { raises } = { raises: true },
): void {
  effects.push({ type: 'version', proofs, status: statuses[state.stage], isRouted: state.isRouted, raises });
}

/** `meta.status` of each stage. */
const statuses: Readonly<Record<Stage, string>> = {
  accepted: TRAIL_START.status,
  waiting: TRAIL_START.status,
  debits: TRAIL_START.status,
  credits: TRAIL_START.status,
  held: TRAIL.prepared.status!,
  prepared: TRAIL.prepared.status!,
  committing: TRAIL.committed.status!,
  completed: TRAIL.completed.status!,
  aborting: TRAIL.aborted.status!,
  rejected: TRAIL.rejected.status!,
};

const verbs = { asked: 'prepare', committing: 'commit', aborting: 'abort' } as const;

/** Calls the bridges of the parts that have come to be asked for something. */
function call(before: IntentState, after: IntentState, effects: Effect[]): void {
  for (const [part, status] of after.parts.entries()) {
    if (status === before.parts[part] || !(status in verbs)) continue;
    effects.push({ type: 'call', part, verb: verbs[status as keyof typeof verbs] });
  }
}

/** Tells each bridge of the status once, however many parts it has; one that was never asked hears nothing. */
function notify({ plan, parts }: IntentState, effects: Effect[]): void {
  const asked = plan?.parts.filter((_, part) => parts[part] !== 'idle') ?? [];
  for (const bridge of new Set(asked.map((part) => part.bridge))) effects.push({ type: 'notify', bridge });
}

function partOf(state: IntentState, handle: string): Part {
  return state.plan!.parts[indexOfPart(state, handle)]!;
}

function isPending({ stage }: IntentState): boolean {
  return statuses[stage] === TRAIL_START.status;
}

function isPrepared({ stage }: IntentState): boolean {
  return statuses[stage] === TRAIL.prepared.status;
}

/** Whether the core holds its debits. */
function isReserved(state: IntentState): boolean {
  const { plan, stage } = state;
  return plan !== undefined && hasReservation(plan) && (isPrepared(state) || stage === 'debits' || stage === 'credits');
}

function forwards({ plan }: IntentState): boolean {
  return plan!.entries.some(({ forwardTo }) => forwardTo !== undefined);
}

/** Whether other intents hang on it: what it has made to forward credits, or what has made it. */
function isInThread(state: IntentState): boolean {
  // Whether one that was not resolved is a forward intent, its thread knows.
  return state.plan === undefined || state.plan.isForward || (state.isRouted && forwards(state));
}
