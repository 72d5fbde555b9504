import { TRAIL, TRAIL_START, type TrailStep } from '@countersign/protocol/trail';
import type { Effect, IntentEvent, IntentState, PartStatus, ReportStatus, Stage } from './intent.js';
import type { IntentFailure, Side } from './plan/plan.js';
import { forwards, proofsOf } from './proofs.js';

/** Events by name; `at once` stands for none: the case follows as soon as it holds. */
type EventName =
  | Exclude<IntentEvent['type'], 'report' | 'decided'>
  | `report ${ReportStatus}`
  | 'decided commit'
  | 'decided abort'
  | 'at once';

/**
 * What is done in a case: a step of the trail, which adds a version with its proofs and moves amounts as TRAIL says; a call
 * to bridges; or one of these. `routed`: a version without proofs. `notify`: bridges are told of the status. `forward`: the
 * intents are made that forward credits. What the intent has no use for is left out, as calls of one without bridges, and one of
 * `cleared by core` and `cleared`.
 */
type CaseAction =
  | TrailStep
  | 'prepare debits'
  | 'prepare credits'
  | 'commit'
  | 'abort'
  | 'routed'
  | 'notify'
  | 'forward';

/** The guard of a case: judged on the state that the event has been noted in. */
type CaseGuard = (state: IntentState, event: IntentEvent) => boolean;

type Case = readonly [stage: Stage, event: EventName, when: CaseGuard, next: Stage, does: readonly CaseAction[]];

/**
 * What follows when something happens to an intent (interface/intents#trails). Of the cases of a stage and an event, the first
 * whose guard holds applies. An event without such a case changes nothing: it comes too late or twice, or does not fit the
 * state.
 *
 * Bridges of debits are asked to prepare first, those of credits when every debit is prepared or there is none
 * (interface/bridges#two-phases). A call shows the intent as it is at that place of the list: without the proofs of the core
 * where `prepare` follows at once, and before balances have changed where it is `commit`.
 */
// biome-ignore format: a table
export const MACHINE: readonly Case[] = [
  // stage        event               when               next          does, in this order
  ['accepted',   'unresolved',       always,            'aborting',   ['failed', 'aborted']],
  ['accepted',   'resolved',         lacksPermission,   'waiting',    ['resolved']],
  ['accepted',   'resolved',         hasRefusal,         'aborting',   ['resolved', 'failed', 'aborted']],
  ['accepted',   'resolved',         hasDebitCalls,     'debits',     ['resolved', 'prepare debits', 'reserved']],
  ['accepted',   'resolved',         always,            'credits',    ['resolved', 'prepare credits', 'reserved']],
  ['accepted',   'thread-failed',    always,            'aborting',   ['failed', 'aborted']],

  ['waiting',    'expired',          always,            'aborting',   ['failed', 'aborted']],
  ['waiting',    'full',             always,            'aborting',   ['failed', 'aborted']],
  ['waiting',    'thread-failed',    isInThread,        'aborting',   ['failed', 'aborted']],

  ['debits',     'report prepared',  always,            'debits',     []],
  ['debits',     'at once',          areDebitsPrepared, 'credits',    ['prepare credits']],
  ['debits',     'gave-up',          always,            'debits',     ['note']],
  ['debits',     'report failed',    always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['debits',     'expired',          always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['debits',     'full',             always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['debits',     'thread-failed',    isInThread,        'aborting',   ['failed', 'aborted', 'released', 'abort']],

  ['credits',    'report prepared',  always,            'credits',    []],
  ['credits',    'at once',          isReadyAndManual,  'held',       ['prepared', 'notify', 'routed', 'forward']],
  ['credits',    'at once',          isReady,           'prepared',   ['prepared', 'notify', 'routed', 'forward']],
  ['credits',    'gave-up',          always,            'credits',    ['note']],
  ['credits',    'report failed',    always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['credits',    'expired',          always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['credits',    'full',             always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['credits',    'thread-failed',    isInThread,        'aborting',   ['failed', 'aborted', 'released', 'abort']],

  ['held',       'decided commit',   always,            'prepared',   []],
  ['held',       'decided abort',    always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['held',       'report failed',    always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['held',       'full',             always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['held',       'thread-failed',    isInThread,        'aborting',   ['failed', 'aborted', 'released', 'abort']],

  // The others of a thread commit with it, as one (interface/intents#forwarding). From then on it does not fail.
  ['prepared',   'at once',          isAlone,           'committing', ['committed', 'commit', 'cleared by core', 'cleared']],
  ['prepared',   'thread-prepared',  always,            'committing', ['committed', 'commit', 'cleared by core', 'cleared']],
  ['prepared',   'report failed',    always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['prepared',   'full',             always,            'aborting',   ['failed', 'aborted', 'released', 'abort']],
  ['prepared',   'thread-failed',    isInThread,        'aborting',   ['failed', 'aborted', 'released', 'abort']],

  ['committing', 'report committed', always,            'committing', []],
  ['committing', 'gave-up',          always,            'committing', ['note']],
  ['committing', 'at once',          haveAllCommitted,  'completed',  ['completed', 'notify']],

  ['aborting',   'report aborted',   always,            'aborting',   []],
  ['aborting',   'gave-up',          always,            'aborting',   ['note']],
  ['aborting',   'at once',          haveAllAborted,    'rejected',   ['rejected', 'notify']],
];

function always(): boolean {
  return true;
}

/** The route that made a forward intent stands for the permission. */
function lacksPermission({ plan }: IntentState, event: IntentEvent): boolean {
  return event.type === 'resolved' && !event.isPermitted && !plan!.isForward;
}

function hasRefusal(_: IntentState, event: IntentEvent): boolean {
  return event.type === 'resolved' && event.refusal !== undefined;
}

function hasDebitCalls({ plan }: IntentState): boolean {
  return plan!.parts.some(({ side }) => side === 'debit');
}

function areDebitsPrepared({ plan, parts }: IntentState): boolean {
  return parts.every((status, part) => plan!.parts[part]!.side === 'credit' || status === 'prepared');
}

function isReady({ parts }: IntentState): boolean {
  return parts.every((status) => status === 'prepared');
}

function isReadyAndManual(state: IntentState): boolean {
  return state.plan!.isManual && isReady(state);
}

/** Whether other intents hang on it: what it has made to forward credits, or what has made it. */
function isInThread({ plan, isRouted }: IntentState): boolean {
  return plan!.isForward || (isRouted && forwards(plan!));
}

function isAlone(state: IntentState): boolean {
  return !isInThread(state);
}

function haveAllCommitted({ parts }: IntentState): boolean {
  return !parts.includes('committing');
}

function haveAllAborted({ parts }: IntentState): boolean {
  return !parts.includes('aborting');
}

/** `meta.status` of each stage. */
const STAGE_STATUSES: Readonly<Record<Stage, string>> = {
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

/** The steps that `intent-updated` does not tell of: each is on the way to the next. */
const UNTOLD: ReadonlySet<CaseAction> = new Set(['resolved', 'reserved', 'routed', 'released']);

/** The cases of each stage and event. */
const cases = new Map<string, Case[]>();
for (const one of MACHINE) {
  const key = `${one[0]}, ${one[1]}`;
  cases.set(key, [...(cases.get(key) ?? []), one]);
}

/**
 * What follows when something happens to an intent, by the table. It decides alone: without clock, chance or look at anything
 * else. An event that changes nothing leaves the very same state, without effects.
 */
export function step(
  before: IntentState,
  event: IntentEvent,
): { readonly state: IntentState; readonly effects: readonly Effect[] } {
  const effects: Effect[] = [];
  let state = applyEvent(before, event);
  if (!state) return { state: before, effects };
  let found = findCase(state, eventNameOf(event), event);
  if (!found) return { state: before, effects };
  for (; found; found = findCase(state, 'at once', event)) state = applyCase(found, state, event, effects);
  return { state, effects };
}

function eventNameOf(event: IntentEvent): EventName {
  if (event.type === 'report') return `report ${event.status}`;
  return event.type === 'decided' ? `decided ${event.action}` : event.type;
}

function findCase(state: IntentState, name: EventName, event: IntentEvent): Case | undefined {
  return cases.get(`${state.stage}, ${name}`)?.find(([, , holds]) => holds(state, event));
}

/** The state with what the event says; undefined where that is no news. */
function applyEvent(state: IntentState, event: IntentEvent): IntentState | undefined {
  switch (event.type) {
    case 'resolved':
      return state.stage === 'accepted'
        ? { ...state, plan: event.plan, parts: event.plan.parts.map(() => 'idle') }
        : undefined;
    case 'report':
      return applyReport(state, event.part, event.status);
    case 'gave-up':
      return giveUp(state, event.part);
    default:
      return state;
  }
}

/** The state after a case, whose effects are added. */
function applyCase(one: Case, before: IntentState, event: IntentEvent, effects: Effect[]): IntentState {
  const [, , , stage, actions] = one;
  let state = before;
  let status = STAGE_STATUSES[before.stage];
  for (const action of actions) {
    switch (action) {
      case 'prepare debits':
      case 'prepare credits':
        state = call(state, action === 'prepare debits' ? 'debit' : 'credit', effects);
        break;
      case 'commit':
      case 'abort':
        state = callAll(state, action, effects);
        break;
      case 'notify':
        for (const bridge of bridgesToNotify(state)) effects.push({ type: 'notify', bridge });
        break;
      case 'forward':
        if (forwards(state.plan!)) effects.push({ type: 'forward' });
        break;
      case 'routed':
        state = { ...state, isRouted: true };
        effects.push({ type: 'version', proofs: [], status, isRouted: true, raises: false });
        break;
      default: {
        if (action === 'failed') state = { ...state, failure: failureOfEvent(state, event) };
        const proofs = proofsOf(action, state, event);
        if (proofs.length === 0) break;
        status = TRAIL[action].status ?? status;
        effects.push({ type: 'version', proofs, status, isRouted: state.isRouted, raises: !UNTOLD.has(action) });
        const { move } = TRAIL[action];
        if (move) effects.push({ type: 'move', move });
      }
    }
  }
  return { ...state, stage };
}

/** Why the ledger ends an intent, as its `failed` proof says it (interface/intents#trails). */
function failureOfEvent({ plan }: IntentState, event: IntentEvent): IntentFailure {
  switch (event.type) {
    case 'report': {
      const { bridge } = plan!.parts.find(({ handle }) => handle === event.part)!;
      return { reason: 'core.bridge-prepare-failed', detail: `Bridge(s) failed to process intent: ${bridge}` };
    }
    case 'expired':
      return { reason: 'core.intent-expired', detail: `Intent ${plan!.intent} expired` };
    case 'decided':
      return { reason: 'core.intent-aborted', detail: `Intent ${plan!.intent} aborted` };
    case 'resolved':
      return event.refusal!;
    case 'unresolved':
    case 'full':
    case 'thread-failed':
      return event.failure;
    default:
      throw new Error(`Nothing fails by ${event.type}.`);
  }
}

/** The verb of a call, by what its part is asked for. */
const VERBS = { prepare: 'asked', commit: 'committing', abort: 'aborting' } as const satisfies Record<
  string,
  PartStatus
>;

/** Asks the bridges of a side to prepare. */
function call(state: IntentState, side: Side, effects: Effect[]): IntentState {
  return callParts(state, 'prepare', (part) => state.plan!.parts[part]!.side === side, effects);
}

/** Has all bridges commit, or abort: those that were asked, the one that failed among them. */
function callAll(state: IntentState, verb: 'commit' | 'abort', effects: Effect[]): IntentState {
  const called = callParts(state, verb, (part) => state.parts[part] !== 'idle', effects);
  return { ...called, givenUp: [] };
}

function callParts(
  state: IntentState,
  verb: keyof typeof VERBS,
  isCalled: (part: number) => boolean,
  effects: Effect[],
): IntentState {
  const parts = state.parts.map((status, part) => {
    if (!isCalled(part)) return status;
    effects.push({ type: 'call', part, verb });
    return VERBS[verb];
  });
  return { ...state, parts };
}

/** Each bridge that was asked, once, however many parts it has. */
function bridgesToNotify({ plan, parts }: IntentState): Iterable<string> {
  const asked = plan?.parts.filter((_, part) => parts[part] !== 'idle') ?? [];
  return new Set(asked.map(({ bridge }) => bridge));
}

/** A report counts for a part in these statuses only; any other is late, repeated or untrue, and changes nothing. */
const REPORTABLE: Readonly<Record<ReportStatus, readonly PartStatus[]>> = {
  prepared: ['asked'],
  // A bridge that takes its word back before the intent is committed is believed: nothing has moved yet.
  failed: ['asked', 'prepared'],
  committed: ['committing'],
  aborted: ['aborting'],
};

/** The state after a report of a part; undefined where it changes nothing. */
export function applyReport(state: IntentState, handle: string, status: ReportStatus): IntentState | undefined {
  const part = indexOfPart(state, handle);
  if (part < 0 || !REPORTABLE[status].includes(state.parts[part]!)) return undefined;
  return { ...state, parts: state.parts.with(part, status) };
}

/** The calls that an answer is awaited to, by the status of their part. */
export const AWAITED: { readonly [Status in PartStatus]?: 'prepare' | 'commit' | 'abort' } = {
  asked: 'prepare',
  committing: 'commit',
  aborting: 'abort',
};

/** The state after a call was given up; undefined where no answer is awaited, or that is noted already. */
function giveUp(state: IntentState, handle: string): IntentState | undefined {
  const part = indexOfPart(state, handle);
  if (part < 0 || !AWAITED[state.parts[part]!] || state.givenUp.includes(part)) return undefined;
  return { ...state, givenUp: [...state.givenUp, part].sort((one, other) => one - other) };
}

/** Index of a part by its handle; -1 when the intent has none of that handle, or is not resolved. */
export function indexOfPart({ plan }: IntentState, handle: string): number {
  return plan?.parts.findIndex((part) => part.handle === handle) ?? -1;
}
