import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Plan, Side } from '../../src/money/plan/plan.js';
import { stateOf } from './state-of.js';
import { happen, type Run } from './step-run.js';

/** What must hold of an intent after anything that may have happened to it; made from the trails, not from the code. */
export function check(run: Run): void {
  const history = bare(run.history);
  if (!historiesOf(run).includes(history)) expect.fail(`no such trail: ${history}: ${facts(run)}`);
  for (const [rule, holds] of Object.entries(rules)) if (!holds(run)) expect.fail(`${rule}: ${facts(run)}`);
  checkRebuilt(run);
}

/** Steps, and checks what came of it. */
export function checked(run: Run, event: Parameters<typeof happen>[1]): Run {
  const { effects, ...next } = happen(run, event);
  const isSame = next.state === run.state;
  if (!isSame && isFinal(run)) expect.fail(`not the end: ${JSON.stringify(event)}: ${facts(run)}`);
  if (isSame && effects.length > 0) expect.fail(`effects of nothing: ${JSON.stringify(event)}: ${facts(run)}`);
  if (isSame) checkRebuilt(next);
  else check(next);
  return next;
}

function isFinal({ state: { stage } }: Run): boolean {
  return stage === 'completed' || stage === 'rejected';
}

function facts({ plan, log }: Run): string {
  return JSON.stringify([plan, log]);
}

/** The trail alone leads to the same state. Which part a note was about, it says only where there is one part. */
function checkRebuilt({ state, proofs, plan, log }: Run): void {
  const rebuilt = stateOf(state.plan, proofs);
  const found = plan.parts.length < 2 ? rebuilt : { ...rebuilt, givenUp: state.givenUp };
  if (isDeepStrictEqual(found, state)) return;
  expect.fail(`rebuilt as ${JSON.stringify(found)}, not ${JSON.stringify(state)}: ${JSON.stringify(log)}`);
}

/** The versions of the trails, as far as they may have come in this stage, without notes on bridges out of reach. */
function historiesOf({ plan, state: { stage } }: Run): string[] {
  const count = plan.entries.length;
  const hasCore = !plan.isForward && plan.entries.some(({ side }) => side === 'debit');
  const core = (letter: string) => (hasCore ? letter.repeat(count) : '');
  const resolved = 'R'.repeat(count);
  const preparing = words(resolved, core('c'));
  const prepared = words(preparing, 'P ~');
  const cleared = words(prepared, 'W', core('k') || 'K');
  const failed = [
    ...['', resolved].map((begun) => words(begun, 'F A')),
    ...[preparing, prepared].map((begun) => words(begun, 'F A', core('a'))),
  ];
  const histories: Record<typeof stage, string[]> = {
    accepted: [''],
    waiting: [resolved],
    debits: [preparing],
    credits: [preparing],
    held: [prepared],
    prepared: [prepared],
    committing: [cleared],
    completed: [words(cleared, 'C')],
    aborting: failed,
    rejected: failed.map((begun) => words(begun, 'J')),
  };
  return histories[stage];
}

const VERBS = ['prepare', 'commit', 'abort'];

const rules: Readonly<Record<string, (run: Run) => boolean>> = {
  'money is reserved once, and settled or released once': ({ log, history, plan }) => {
    const moves = log.filter((word) => ['pending', 'void', 'post'].includes(word)).join(' ');
    const hasCore = !plan.isForward && plan.entries.some(({ side }) => side === 'debit');
    const legal = hasCore ? ['', 'pending', 'pending post', 'pending void'] : ['', 'post'];
    const letters = history.join('');
    return (
      legal.includes(moves) &&
      moves.includes('pending') === letters.includes('c') &&
      moves.includes('post') === /[kK]/.test(letters) &&
      moves.includes('void') === letters.includes('a')
    );
  },
  'a bridge is told one of commit and abort, after it was asked to prepare': ({ log, plan }) =>
    plan.parts.every((_, part) => {
      const verbs = log.filter((word) => new RegExp(`^(prepare|commit|abort) ${part}$`).test(word));
      return ['', 'prepare', 'prepare,commit', 'prepare,abort'].includes(
        verbs.map((word) => word.split(' ')[0]).join(),
      );
    }),
  'all bridges that were asked are told the same': ({ log, plan }) => {
    const asked = plan.parts.flatMap((_, part) => (log.includes(`prepare ${part}`) ? [part] : []));
    const verb = log.includes('W') ? 'commit' : log.includes('A') ? 'abort' : undefined;
    return asked.every((part) => ['commit', 'abort'].every((one) => log.includes(`${one} ${part}`) === (one === verb)));
  },
  'debits are asked together, credits when every debit is prepared': ({ log, plan }) => {
    const debits = partsOf(plan, 'debit');
    const isAsked = (part: number) => log.includes(`prepare ${part}`);
    const begun = log.findIndex((word) => word.startsWith('prepare '));
    const credits = partsOf(plan, 'credit').map((part) => log.indexOf(`prepare ${part}`));
    const isReady = (at: number) => debits.every((part) => heard(log, part, 'prepared', begun) < at);
    return (
      new Set(debits.map(isAsked)).size <= 1 &&
      new Set(credits.map((at) => at >= 0)).size <= 1 &&
      credits.every((at) => at < 0 || isReady(at))
    );
  },
  'it is prepared when all bridges are, and at once': ({ log, plan }) => {
    if (plan.parts.length === 0) return true;
    const last = Math.max(...plan.parts.map((_, part) => heard(log, part, 'prepared', log.indexOf(`prepare ${part}`))));
    const [at, failed] = [log.indexOf('P'), log.indexOf('F')];
    return at < 0 ? last === Number.POSITIVE_INFINITY || (failed >= 0 && failed < last) : at === last + 1;
  },
  'it completes when all bridges have committed, and at once': ({ log, plan }) =>
    endsWith(log, plan, 'W', 'committed', 'C'),
  'it is rejected when all bridges have aborted, and at once': ({ log, plan }) =>
    endsWith(log, plan, 'A', 'aborted', 'J'),
  'bridges that were asked hear of its status once when prepared, once at the end': ({ log, plan }) => {
    const bridges = new Set(plan.parts.flatMap((part, at) => (log.includes(`prepare ${at}`) ? [part.bridge] : [])));
    const told = [...bridges].map((bridge) => `notify ${bridge}`);
    const times = (['P', 'C', 'J'] as const).filter((letter) => log.includes(letter));
    const isTold = (letter: string) => {
      const at = log.indexOf(letter);
      return (
        log
          .slice(at + 1, at + 1 + told.length)
          .sort()
          .join() === told.sort().join()
      );
    };
    return times.every(isTold) && log.filter((word) => word.startsWith('notify')).length === times.length * told.length;
  },
  'a call that is given up is noted once, by a version of its own, until the bridge has answered': ({ log }) =>
    [...log.keys()]
      .filter((at) => log[at]!.includes('E'))
      .every((at) => {
        const [event, part] = log[at - 1]!.split(' ');
        const isCall = (word: string) => VERBS.some((verb) => word === `${verb} ${part}`);
        const since = log.slice(log.slice(0, at).findLastIndex(isCall), at - 1);
        const isNoted = since.some((word, index) => word === `gave-up ${part}` && since[index + 1] === 'E');
        return log[at] === 'E' && event === 'gave-up' && isCall(since[0]!) && !isNoted;
      }),
  'versions say status and route of their stage': ({ versions, history }) => {
    let status = 'pending';
    let isRouted = false;
    return versions.every((version, at) => {
      const letter = history[at]![0]!;
      status = { P: 'prepared', W: 'committed', C: 'completed', A: 'aborted', J: 'rejected' }[letter] ?? status;
      isRouted ||= letter === '~';
      const raises = !'Rc~a'.includes(letter);
      return version.status === status && version.isRouted === isRouted && version.raises === raises;
    });
  },
  'a member of a thread commits when its thread does': ({ log, plan }) => {
    const isMember = plan.isForward || plan.entries.some(({ forwardTo }) => forwardTo !== undefined);
    const at = log.indexOf('W');
    return at < 0 || (log[at - 1] === 'thread-prepared') === isMember;
  },
  'credits are sent on once, when it is prepared': ({ log, plan }) => {
    const forwards = plan.entries.some(({ forwardTo }) => forwardTo !== undefined) && log.includes('~');
    return log.filter((word) => word === 'forward').length === (forwards ? 1 : 0);
  },
  'it is kept as JSON': ({ state }) => JSON.stringify(JSON.parse(JSON.stringify(state))) === JSON.stringify(state),
};

/** Whether the end comes with the last answer of the bridges that were asked, or at once when none was. */
function endsWith(log: readonly string[], plan: Plan, from: string, status: string, end: string): boolean {
  const start = log.indexOf(from);
  if (start < 0) return !log.includes(end);
  const parts = plan.parts.map((_, part) => part).filter((part) => log.includes(`prepare ${part}`));
  const last = Math.max(-1, ...parts.map((part) => heard(log, part, status, start)));
  const at = log.indexOf(end);
  if (parts.length === 0) return at > start;
  return last === Number.POSITIVE_INFINITY ? at < 0 : at === last + 1;
}

/** Where the bridge said so for the first time from there on; infinity when it has not. */
function heard(log: readonly string[], part: number, status: string, from: number): number {
  const at = from < 0 ? -1 : log.indexOf(`report ${part} ${status}`, from);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function partsOf({ parts }: Plan, side: Side): number[] {
  return parts.flatMap((part, at) => (part.side === side ? [at] : []));
}

function bare(history: readonly string[]): string {
  return words(...history.filter((letters) => letters !== 'E'));
}

function words(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
