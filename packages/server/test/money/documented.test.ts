import type { JsonObject } from '@countersign/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import type { IntentEvent, PlannedProof, ReportStatus } from '../../src/money/intent.js';
import { ACCEPTED } from '../../src/money/intent.js';
import { step } from '../../src/money/machine.js';
import type { Plan } from '../../src/money/plan/plan.js';
import { expectRows, rowsOf, section } from '../support/documents.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { destroy, issue, limit, MoneyScene, transfer } from './scene.js';
import { makePlan, REFUSAL, UNRESOLVED } from './step-plans.js';

const PAGE = 'docs/interface/intents.md';
const server = withOwnServer();

afterAll(() => checkBooks(server.current.database.url));

/** The trails of the page as patterns, by their letters; `*` of so many entries. */
function documentedTrail(letter: string, entries: number): RegExp {
  const row = rowsOf(section(PAGE, 'trails')).find(([first]) => first === letter);
  const words = row![2]!.split(', ').map((word) => {
    const [, optional, name, often] = /^(\[)?([a-z ]+)([*+])?\]?$/.exec(word)!;
    const times = often === '*' ? `{${entries}}` : often === '+' ? '+' : '';
    return optional ? `(?:${name}, )*` : `(?:${name}, )${times}`;
  });
  return new RegExp(`^${words.join('')}$`);
}

/** A proof as the page names it. */
function nameOf(by: string | undefined, custom: JsonObject): string {
  const what = custom.detail === 'cleared' ? 'cleared' : String(custom.status);
  return by === 'system' ? what : `${by} ${what}`;
}

/** What happens to an intent, and the trail that comes of it; `seen` are the states that it was in. */
function run(events: readonly IntentEvent[]): { trail: string; seen: [stage: string, status: string][] } {
  const seen: [string, string][] = [];
  let state = ACCEPTED;
  let trail = '';
  for (const event of events) {
    if (event.type === 'report') trail += `bridge ${event.status}, `;
    const next = step(state, event);
    state = next.state;
    const versions = next.effects.filter((effect) => effect.type === 'version');
    const proofs = versions.flatMap((version) => version.proofs);
    trail += proofs.map(({ by, custom }: PlannedProof) => `${nameOf(by, custom)}, `).join('');
    const last = versions.at(-1);
    if (last) seen.push([state.stage, last.status]);
  }
  return { trail, seen };
}

const resolved = (plan: Plan, more = {}): IntentEvent => ({ type: 'resolved', plan, isPermitted: true, ...more });
const report = (part: string, status: ReportStatus): IntentEvent => ({ type: 'report', part, status });
const expired: IntentEvent = { type: 'expired' };
const ready: IntentEvent = { type: 'thread-prepared' };

const plain = makePlan({ parts: [] });
const both = makePlan({
  parts: [
    ['debit', 'a'],
    ['credit', 'b'],
  ],
});
const [debit = '', credit = ''] = both.parts.map(({ handle }) => handle);
const prepared = [resolved(both), report(debit, 'prepared'), report(credit, 'prepared')];

const RUNS: readonly [letter: string, name: string, plan: Plan, events: readonly IntentEvent[]][] = [
  ['A', 'a transfer', plain, [resolved(plain)]],
  ...(['issue', 'limit'] as const).map((action): (typeof RUNS)[number] => {
    const plan = makePlan({ parts: [], action });
    return ['B', action, plan, [resolved(plan)]];
  }),
  ['C', 'two bridges', both, [...prepared, report(credit, 'committed'), report(debit, 'committed')]],
  ['D', 'no wallet', makePlan({ parts: [], action: 'limit' }), [{ type: 'unresolved', failure: UNRESOLVED }]],
  ['E', 'an overdraft', plain, [resolved(plain, { refusal: REFUSAL })]],
  ['F', 'the first bridge fails', both, [resolved(both), report(debit, 'failed'), report(debit, 'aborted')]],
  [
    ...(['F', 'the second fails', both] as const),
    [...prepared.slice(0, 2), report(credit, 'failed'), report(debit, 'aborted'), report(credit, 'aborted')],
  ],
  ['G', 'no permission', plain, [resolved(plain, { isPermitted: false }), expired]],
  ['H', 'no answer', both, [resolved(both), expired, report(debit, 'aborted')]],
  [
    'H',
    'no second answer',
    both,
    [...prepared.slice(0, 2), expired, report(debit, 'aborted'), report(credit, 'aborted')],
  ],
  ...([[], [['credit', 'b']]] as const).map((parts): (typeof RUNS)[number] => {
    const plan = makePlan({ parts, isForward: true });
    const reports = (status: ReportStatus) => plan.parts.map(({ handle }) => report(handle, status));
    return [
      'I',
      `${parts.length} bridges`,
      plan,
      [resolved(plan), ...reports('prepared'), ready, ...reports('committed')],
    ];
  }),
];

describe('the trails of the page', () => {
  it.each(RUNS)('%s: %s', (letter, _, plan, events) => {
    expect(run(events).trail).toMatch(documentedTrail(letter, plan.entries.length));
  });

  it('lead through the states of the page', () => {
    const manual = makePlan({ parts: [], isManual: true });
    const sender = makePlan({ parts: [], forwards: true });
    const all = [...RUNS.map(([, , , events]) => events), [resolved(manual)], [resolved(sender)]];
    const seen = new Set(all.flatMap((events) => run(events).seen.map((one) => one.join(' '))));
    const told = rowsOf(section(PAGE, 'states')).slice(1);
    const pairs = told.map(([stage, , status]) => `${stage} ${status}`);
    expectRows(PAGE, 'states', pairs.toSorted(), [...seen, 'accepted pending'].toSorted());
  });
});

describe('the examples of the page', () => {
  it('has the versions of a transfer', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 10);
    const handle = await money.done([transfer('alice', 'bob', 10)]);
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    const versions = body.data
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
      .map(({ meta }: any) => [meta.change, meta.status, meta.routed ?? '', meta.proofs.length].map(String))
      .reverse();
    expect(versions).toEqual(
      rowsOf(section(PAGE, 'history'))
        .slice(1)
        .map((row) => row.slice(0, 4)),
    );
  });

  it('do what the page says, one after the other', async () => {
    const money = await MoneyScene.make(server.current.url, ['till', 'shop']);
    const available = async (wallet: string) => {
      const { body } = await money.client.get(`/wallets/${wallet}/balances?data.schema=available`);
      return body.data.map(({ data }: { data: JsonObject }) => String(data.amount)).join();
    };
    const rows = rowsOf(section(PAGE, 'examples')).slice(1);
    expect(rows.length).toBeGreaterThan(8);
    for (const [claims = '', letter = '', till, shop, because] of rows) {
      const handle = await money.intend(claims.split(' + ').map(claimOf));
      const { meta } = await money.read(handle);
      const trail = meta.proofs.slice(3).map(({ signer = 'core', custom }: { signer?: string; custom: JsonObject }) => {
        return `${nameOf(signer, custom)}, `;
      });
      const entries = trail.filter((one: string) => one === 'resolved, ').length;
      expect(trail.join(''), claims).toMatch(documentedTrail(letter, entries));
      expect([await available('till'), await available('shop')], claims).toEqual([till, shop]);
      const failed = meta.proofs.find(({ custom }: { custom: JsonObject }) => custom.status === 'failed');
      expect(failed?.custom.detail ?? '', claims).toBe(because);
    }
  });
});

/** `transfer 5 from a to b`, `issue 5 to a`, `destroy 5 from a`, `limit minBalance 5 of a`. */
function claimOf(text: string): JsonObject {
  const [, action, metric = '', amount, from = '', to = ''] =
    /^(\w+) (?:(\w+) )??(-?\d+)(?: (?:from|of) (\w+))?(?: to (\w+))?$/.exec(text) ?? [];
  const sum = Number(amount);
  if (action === 'issue') return issue(to, sum);
  if (action === 'destroy') return destroy(from, sum);
  return action === 'limit' ? limit(from, metric, sum) : transfer(from, to, sum);
}
