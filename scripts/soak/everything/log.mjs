import { readFile } from 'node:fs/promises';
import { readJson } from '@countersign/protocol';

/** Levels of pino from which a line must be expected. */
const ERROR = 50;

const DEATH = 'a worker has died and is replaced';
const RESTART = 'PostgreSQL is started again';

/** What the server says when its database goes away, or a worker, and at no other time. */
const EXPECTED = {
  database: new Set([
    'a worker did not start',
    'an intent under way could not be processed, and is put off',
    'background work failed',
    'changes could not be sealed into the log, and are tried again',
    'changes of a ledger could not be sealed, and are tried again',
    'idle database connection failed',
    'the logs could not be compared with what was shown, and are compared again',
    'unexpected error',
    'whether changes are sealed is unknown, and asked again',
  ]),
  worker: new Set(['a process of this machine was not understood']),
};
const READY = 'PostgreSQL is ready again';

/** Faults of the program, whatever was away. */
const FAULTS = new Set(['AssertionError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError']);

/** Milliseconds after what was broken is whole again in which the server may still tell of it. */
const AFTER = 30_000;

/**
 * Judges the log of the server: every line at `error` or above must follow from what was broken, and no more processes may have died than
 * were killed.
 *
 * @param path of the log, a line of JSON each
 * @param world `{ counts, disturbances, findings }`, the first how often each was broken
 */
export async function judgeLog(path, { counts, disturbances, findings }) {
  const isExpected = ({ msg, time }) =>
    disturbances.all.some(
      ({ database, began, ended = Number.POSITIVE_INFINITY }) =>
        EXPECTED[database ? 'database' : 'worker'].has(msg) && began <= time && time <= ended + AFTER,
    );
  const deaths = { [DEATH]: 0, [RESTART]: 0 };
  for (const text of (await readFile(path, 'utf8')).split('\n').filter(Boolean)) {
    const line = parsed(text);
    if (line === undefined) {
      // A process that is killed may leave part of a line.
      if (!text.startsWith('{') || text.endsWith('}'))
        findings.add('the server wrote what is no line of its log', text);
      continue;
    }
    if (!(line.level >= ERROR)) continue;
    const death = Object.keys(deaths).find((start) => line.msg?.startsWith(start));
    if (death !== undefined) deaths[death] += 1;
    if (death === DEATH && line.signal !== 'SIGKILL') findings.add('a worker has died by itself', text);
    if (death !== undefined || line.msg === READY) continue;
    if (!isExpected(line) || FAULTS.has(line.err?.type)) findings.add(`the log has an error: ${line.msg}`, text);
  }
  const of = (name) =>
    Object.entries(counts).reduce((sum, [what, count]) => sum + (what.startsWith(name) ? count : 0), 0);
  const killed = { [DEATH]: of('worker killed'), [RESTART]: of('PostgreSQL ended') };
  for (const [what, count] of Object.entries(deaths))
    if (count > killed[what])
      findings.add('more processes died than were killed', `${what}: ${count}, not ${killed[what]}`);
}

function parsed(text) {
  try {
    const line = readJson(text);
    return typeof line === 'object' && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}
