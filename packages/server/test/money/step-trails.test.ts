import { describe, expect, it } from 'vitest';
import type { Effect, IntentEvent, PlannedProof } from '../../src/money/intent.js';
import { ACCEPTED } from '../../src/money/intent.js';
import { step } from '../../src/money/machine.js';
import type { Plan } from '../../src/money/plan/plan.js';
import { ELSEWHERE, makePlan, REFUSAL, UNRESOLVED } from './step-plans.js';

const resolved = (plan: Plan, more = {}): IntentEvent => ({ type: 'resolved', plan, isPermitted: true, ...more });
const report = (part: string, status: 'prepared' | 'failed' | 'committed' | 'aborted'): IntentEvent => ({
  ...{ type: 'report', part, status },
});

/** All effects of some events: versions as their status, those that raise no event in brackets, with their proofs. */
function effectsOf(...events: IntentEvent[]): string[] {
  let state = ACCEPTED;
  return events.flatMap((event) => {
    const next = step(state, event);
    state = next.state;
    return next.effects.flatMap(linesOf);
  });
}

function linesOf(effect: Effect): string[] {
  if (effect.type !== 'version') return [Object.values(effect).join(' ')];
  const title = `${effect.status}${effect.isRouted ? ', routed' : ''}`;
  return [effect.raises ? title : `(${title})`, ...effect.proofs.map(proofText)];
}

/** Members of `custom` in the order of the alphabet. */
function proofText({ by, custom, isBare }: PlannedProof): string {
  return `  ${isBare ? 'bare ' : ''}${by} ${JSON.stringify(custom, Object.keys(custom).sort())}`;
}

const DEBIT =
  '  system {"amount":1,"handle":"deb_0","inputs":[0],"schema":"debit","status":"resolved","symbol":"usd","wallet":"debit-0"}';
const CREDIT =
  '  system {"amount":1,"handle":"cre_0","inputs":[0],"schema":"credit","status":"resolved","symbol":"usd","wallet":"credit-0"}';
const AT_A = (line: string) => line.replace('"amount":1,', '"amount":1,"bridge":"a",');
const core = (status: string) => [
  `  core {"handle":"deb_0","schema":"debit","status":"${status}"}`,
  `  core {"handle":"cre_0","schema":"credit","status":"${status}"}`,
];
const RESERVED = ['(pending)', ...core('prepared'), 'move pending'];
const RELEASED = ['(aborted)', ...core('aborted'), 'move void'];
const COMMITTED = ['committed, routed', '  system {"detail":"awaiting-clearance","status":"committed"}'];
const CLEARED = [
  'committed, routed',
  '  bare core {"detail":"cleared","handle":"deb_0","schema":"debit","status":"committed"}',
  '  bare core {"detail":"cleared","handle":"cre_0","schema":"credit","status":"committed"}',
  'move post',
];
const CLEARED_ALONE = [
  'committed, routed',
  '  system {"coreId":"i-1","detail":"cleared","status":"committed"}',
  'move post',
];
const COMPLETED = ['completed, routed', '  system {"status":"completed"}'];
const preparedFor = (...told: string[]) => [
  ...['prepared', '  system {"status":"prepared"}'],
  ...told.map((bridge) => `notify ${bridge}`),
  '(prepared, routed)',
];
const PREPARED = preparedFor();
const failed = (reason: string, detail: string, status = 'pending') => [
  ...[status, `  system {"detail":"${detail}","reason":"${reason}","status":"failed"}`],
  ...[status.replace('prepared', 'aborted').replace('pending', 'aborted'), '  system {"status":"aborted"}'],
];
const EXPIRED = failed('core.intent-expired', 'Intent i-1 expired');
const REJECTED = ['rejected', '  system {"status":"rejected"}'];

const plain = makePlan({ parts: [] });
const issue = makePlan({ parts: [], action: 'issue' });
const limit = makePlan({ parts: [], action: 'limit' });
const manual = makePlan({ parts: [], isManual: true });
const debit = makePlan({ parts: [['debit', 'a']] });
const forward = makePlan({ parts: [['credit', 'a']], isForward: true });
const sender = makePlan({ parts: [], forwards: true });

/** A transfer from one bridge to another. */
const both: Plan = {
  ...plain,
  entries: [
    { ...plain.entries[0]!, bridge: 'a' },
    { ...plain.entries[1]!, bridge: 'b' },
  ],
  parts: [
    { handle: 'deb_0', side: 'debit', bridge: 'a', entries: [0] },
    { handle: 'cre_0', side: 'credit', bridge: 'b', entries: [1] },
  ],
};
const AT_B = (line: string) => line.replace('"amount":1,', '"amount":1,"bridge":"b",');

describe('the trails of intents, with all that goes with them', () => {
  it.each<[trail: string, events: IntentEvent[], effects: string[]]>([
    [
      'A: a transfer in the ledger',
      [resolved(plain)],
      ['(pending)', DEBIT, CREDIT, ...RESERVED, ...PREPARED, ...COMMITTED, ...CLEARED, ...COMPLETED],
    ],
    [
      'B: an issue',
      [resolved(issue)],
      ['(pending)', CREDIT, ...PREPARED, ...COMMITTED, ...CLEARED_ALONE, ...COMPLETED],
    ],
    ['B: a limit', [resolved(limit)], [...PREPARED, ...COMMITTED, ...CLEARED_ALONE, ...COMPLETED]],
    [
      'C: from one bridge to another',
      [
        ...[resolved(both), report('deb_0', 'prepared'), report('cre_0', 'prepared')],
        ...[report('cre_0', 'committed'), report('deb_0', 'committed')],
      ],
      [
        ...['(pending)', AT_A(DEBIT), AT_B(CREDIT), 'call 0 prepare', ...RESERVED, 'call 1 prepare'],
        ...[...preparedFor('a', 'b'), ...COMMITTED, 'call 0 commit', 'call 1 commit', ...CLEARED],
        ...[...COMPLETED, 'notify a', 'notify b'],
      ],
    ],
    [
      'D: what is not resolved',
      [{ type: 'unresolved', failure: UNRESOLVED }],
      [...failed('core.symbol-invalid', 'Symbol usd not found.'), ...REJECTED],
    ],
    [
      'E: beyond a limit',
      [resolved(plain, { refusal: REFUSAL })],
      ['(pending)', DEBIT, CREDIT, ...failed('core.limit-exceeded', 'too much'), ...REJECTED],
    ],
    [
      'F: a bridge fails before the other is asked',
      [resolved(both), report('deb_0', 'failed'), report('deb_0', 'aborted')],
      [
        ...['(pending)', AT_A(DEBIT), AT_B(CREDIT), 'call 0 prepare', ...RESERVED],
        ...failed('core.bridge-prepare-failed', 'Bridge(s) failed to process intent: a'),
        ...[...RELEASED, 'call 0 abort', ...REJECTED, 'notify a'],
      ],
    ],
    [
      'F: the second bridge fails',
      [
        ...[resolved(both), report('deb_0', 'prepared'), report('cre_0', 'failed')],
        ...[report('cre_0', 'aborted'), report('deb_0', 'aborted')],
      ],
      [
        ...['(pending)', AT_A(DEBIT), AT_B(CREDIT), 'call 0 prepare', ...RESERVED, 'call 1 prepare'],
        ...failed('core.bridge-prepare-failed', 'Bridge(s) failed to process intent: b'),
        ...[...RELEASED, 'call 0 abort', 'call 1 abort', ...REJECTED, 'notify a', 'notify b'],
      ],
    ],
    [
      'G: no permission in time, and no limit judged',
      [resolved(plain, { isPermitted: false, refusal: REFUSAL }), { type: 'expired' }],
      ['(pending)', DEBIT, CREDIT, ...EXPIRED, ...REJECTED],
    ],
    [
      'H: no answer of a bridge in time',
      [resolved(debit), { type: 'expired' }, report('deb_0', 'aborted')],
      [
        ...['(pending)', AT_A(DEBIT), CREDIT, 'call 0 prepare', ...RESERVED],
        ...[...EXPIRED, ...RELEASED, 'call 0 abort', ...REJECTED, 'notify a'],
      ],
    ],
    [
      'I: a forward intent, without permission',
      [
        ...[resolved(forward, { isPermitted: false }), report('cre_0', 'prepared')],
        ...[{ type: 'thread-prepared' } as const, report('cre_0', 'committed')],
      ],
      [
        ...['(pending)', DEBIT, AT_A(CREDIT), 'call 0 prepare', ...preparedFor('a')],
        ...[...COMMITTED, 'call 0 commit', ...CLEARED_ALONE, ...COMPLETED, 'notify a'],
      ],
    ],
    [
      'I: a forward intent that expires',
      [resolved(forward), { type: 'expired' }, report('cre_0', 'aborted')],
      [
        ...['(pending)', DEBIT, AT_A(CREDIT), 'call 0 prepare', ...EXPIRED, 'call 0 abort'],
        ...[...REJECTED, 'notify a'],
      ],
    ],
  ])('%s', (_, events, effects) => {
    expect(effectsOf(...events)).toEqual(effects);
  });

  it('waits for the intents that send its credit on', () => {
    const begun = ['(pending)', DEBIT, CREDIT, ...RESERVED, ...PREPARED, 'forward'];
    expect(effectsOf(resolved(sender))).toEqual(begun);
    expect(effectsOf(resolved(sender), { type: 'expired' })).toEqual(begun);
    expect(effectsOf(resolved(sender), { type: 'thread-prepared' })).toEqual([
      ...[...begun, ...COMMITTED, ...CLEARED, ...COMPLETED],
    ]);
    expect(effectsOf(resolved(sender), { type: 'thread-failed', failure: ELSEWHERE })).toEqual([
      ...[...begun, ...failed('core.routing-failed', 'of another member', 'prepared, routed')],
      ...[...RELEASED, ...REJECTED].map((line) => line.replace(/aborted(?=\)$)|^rejected$/, '$&, routed')),
    ]);
  });

  it('is held until a signer decides', () => {
    const begun = ['(pending)', DEBIT, CREDIT, ...RESERVED, ...PREPARED];
    expect(effectsOf(resolved(manual), { type: 'expired' })).toEqual(begun);
    expect(effectsOf(resolved(manual), { type: 'decided', action: 'commit' })).toEqual([
      ...[...begun, ...COMMITTED, ...CLEARED, ...COMPLETED],
    ]);
    expect(effectsOf(resolved(manual), { type: 'decided', action: 'abort' })).toEqual([
      ...[...begun, ...failed('core.intent-aborted', 'Intent i-1 aborted', 'prepared, routed')],
      ...[...RELEASED, ...REJECTED].map((line) => line.replace(/aborted(?=\)$)|^rejected$/, '$&, routed')),
    ]);
  });

  it('has a member that was held wait for its thread once a signer has decided', () => {
    const plan = makePlan({ parts: [], forwards: true, isManual: true });
    const begun = [...PREPARED, 'forward'];
    expect(effectsOf(resolved(plan)).slice(-begun.length)).toEqual(begun);
    const { state } = step(ACCEPTED, resolved(plan));
    expect(step(state, { type: 'decided', action: 'commit' })).toEqual({
      state: { ...state, stage: 'prepared' },
      effects: [],
    });
    expect(step(state, { type: 'decided', action: 'abort' }).state.stage).toBe('rejected');
  });

  it('counts: eight versions of a transfer with that of its creation, seven of an issue', () => {
    const versions = (plan: Plan) => step(ACCEPTED, resolved(plan)).effects.filter(({ type }) => type === 'version');
    expect([versions(plain).length, versions(issue).length]).toEqual([7, 6]);
    const raising = (plan: Plan) => versions(plan).filter((effect) => effect.type === 'version' && effect.raises);
    expect([raising(plain).length, raising(issue).length, raising(limit).length]).toEqual([4, 4, 4]);
  });
});

describe('a bridge', () => {
  const note = (detail: string) =>
    `  system {"detail":"${detail}","reason":"core.bridge-unreachable","status":"error"}`;
  const gaveUp = (part: string, detail: string): IntentEvent => ({ type: 'gave-up', part, detail });
  const added = (events: IntentEvent[], last: IntentEvent) =>
    effectsOf(...events, last).slice(effectsOf(...events).length);

  it('is noted once per call when it is out of reach, and may answer later', () => {
    const events = [resolved(debit)];
    expect(added(events, gaveUp('deb_0', 'no'))).toEqual(['pending', note('no')]);
    expect(added([...events, gaveUp('deb_0', 'no')], gaveUp('deb_0', 'again'))).toEqual([]);
    expect(added(events, gaveUp('cre_0', 'no'))).toEqual([]);
    const prepared = [...events, gaveUp('deb_0', 'no'), report('deb_0', 'prepared')];
    expect(effectsOf(...prepared)).toContain('call 0 commit');
    expect(added(prepared, gaveUp('deb_0', 'no'))).toEqual(['committed, routed', note('no')]);
    expect(added([...prepared, report('deb_0', 'committed')], gaveUp('deb_0', 'no'))).toEqual([]);
    const expired = [...events, gaveUp('deb_0', 'no'), { type: 'expired' } as const];
    expect(added(expired, gaveUp('deb_0', 'no'))).toEqual(['aborted', note('no')]);
  });

  it('is believed when it takes its word back before all have prepared, and not afterwards', () => {
    const plan = makePlan({
      parts: [
        ['debit', 'a'],
        ['debit', 'b'],
      ],
    });
    const one = [resolved(plan), report('deb_0', 'prepared')];
    expect(added(one, report('deb_0', 'failed'))).toContain('call 1 abort');
    expect(added([...one, report('deb_1', 'prepared')], report('deb_0', 'failed'))).toEqual([]);
  });

  it('with two parts hears of the status once', () => {
    const plan = makePlan({
      parts: [
        ['debit', 'a'],
        ['debit', 'a'],
      ],
    });
    const effects = added([resolved(plan), report('deb_0', 'prepared')], report('deb_1', 'prepared'));
    expect(effects.filter((line) => line.startsWith('notify'))).toEqual(['notify a']);
  });

  it('with a group reports by the handle of the group', () => {
    const plan: Plan = {
      ...makePlan({
        parts: [
          ['debit', 'a'],
          ['debit', 'a'],
        ],
      }),
      parts: [{ handle: 'deb_group', side: 'debit', bridge: 'a', entries: [0, 2] }],
    };
    expect(added([resolved(plan)], report('deb_0', 'prepared'))).toEqual([]);
    const effects = added([resolved(plan)], report('deb_group', 'prepared'));
    expect(effects.filter((line) => line.includes('bare core'))).toHaveLength(4);
    expect(effects.filter((line) => line.startsWith('call'))).toEqual(['call 0 commit']);
  });
});
