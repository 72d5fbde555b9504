import type { IntentEvent, IntentState, ReportStatus } from '../../src/money/intent.js';
import type { Entry, Part, Plan, Side } from '../../src/money/plan/plan.js';

/** What a plan of the tests is made of. */
export interface Shape {
  /** The calls to bridges: side and bridge. Each has a claim of its own. */
  readonly parts: readonly (readonly [side: Side, bridge: string])[];
  /** `transfer` or `issue`; one with parts transfers. */
  readonly action?: 'transfer' | 'issue' | 'limit';
  readonly isForward?: boolean;
  readonly isManual?: boolean;
  /** Whether a credit is to be sent on. */
  readonly forwards?: boolean;
}

export function makePlan({ parts, action = 'transfer', isForward, isManual, forwards }: Shape): Plan {
  const claims = Math.max(parts.length, 1);
  const sides =
    action === 'transfer' ? (['debit', 'credit'] as const) : action === 'issue' ? (['credit'] as const) : [];
  const entries = Array.from({ length: claims }, (_, claim) =>
    sides.map((side): Entry => {
      const bridge = parts[claim]?.[0] === side ? parts[claim][1] : undefined;
      const isSentOn = forwards && side === 'credit' && claim === 0;
      return {
        ...{ handle: `${side === 'debit' ? 'deb' : 'cre'}_${claim}`, side, claim, wallet: `${side}-${claim}` },
        ...{ luid: `$wlt.${side}-${claim}`, symbol: 'usd', amount: claim + 1 },
        ...(bridge === undefined ? {} : { bridge }),
        ...(isSentOn ? { forwardTo: 'bob' } : {}),
      };
    }),
  ).flat();
  const limit = {
    claim: 0,
    wallet: 'alice',
    luid: '$wlt.alice',
    symbol: 'usd',
    metric: 'minBalance',
    amount: -5,
  } as const;
  return {
    intent: 'i-1',
    entries,
    limits: action === 'limit' ? [limit] : [],
    parts: parts.map(([side, bridge], claim): Part => {
      const index = entries.findIndex((entry) => entry.claim === claim && entry.side === side);
      return { handle: entries[index]!.handle, side, bridge, entries: [index] };
    }),
    isForward: isForward ?? false,
    isManual: isManual ?? false,
  };
}

export const REFUSAL = { reason: 'core.limit-exceeded', detail: 'too much' };
export const FULL = { reason: 'core.limit-exceeded', detail: 'no room' };
export const UNRESOLVED = { reason: 'core.symbol-invalid', detail: 'Symbol usd not found.' };
export const ELSEWHERE = { reason: 'core.routing-failed', detail: 'of another member' };

export const STATUSES: readonly ReportStatus[] = ['prepared', 'failed', 'committed', 'aborted'];

/** Whatever can happen to an intent, at any time: true, untrue, or for a part it does not have. */
export function everyEvent(plan: Plan): IntentEvent[] {
  const handles = [...plan.parts.map(({ handle }) => handle), 'cre_of-another'];
  return [
    { type: 'unresolved', failure: UNRESOLVED },
    { type: 'resolved', plan, isPermitted: true },
    { type: 'resolved', plan, isPermitted: true, refusal: REFUSAL },
    { type: 'resolved', plan, isPermitted: false },
    ...handles.flatMap((part) => STATUSES.map((status): IntentEvent => ({ type: 'report', part, status }))),
    ...handles.map((part): IntentEvent => ({ type: 'gave-up', part, detail: `no way to ${part}` })),
    { type: 'expired' },
    { type: 'full', failure: FULL },
    { type: 'thread-prepared' },
    { type: 'thread-failed', failure: ELSEWHERE },
    { type: 'decided', action: 'commit' },
    { type: 'decided', action: 'abort' },
  ];
}

/** What brings the intent on, were all in good order. */
export function goodEvents({ stage, plan, parts }: IntentState, planned: Plan): IntentEvent[] {
  if (stage === 'accepted') return [{ type: 'resolved', plan: planned, isPermitted: true }];
  if (stage === 'held') return [{ type: 'decided', action: 'commit' }];
  if (stage === 'prepared') return [{ type: 'thread-prepared' }];
  const answers: Record<string, ReportStatus> = { asked: 'prepared', committing: 'committed', aborting: 'aborted' };
  return parts.flatMap((status, part): IntentEvent[] =>
    status in answers ? [{ type: 'report', part: plan!.parts[part]!.handle, status: answers[status]! }] : [],
  );
}
