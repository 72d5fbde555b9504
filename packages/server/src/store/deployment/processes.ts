import { setTimeout as pause } from 'node:timers/promises';
import type { Queryable } from '../queries/statement.js';
import { SEEN_WITHIN } from './presence.js';

/** Milliseconds from one look at the processes to the next. */
const PROCESS_LOOKS = 250;

interface ProcessRow {
  readonly name: string;
  /** Whether it was seen since the wait began. */
  readonly again: boolean;
}

/**
 * Waits until no process is like that, or those that are will stay so.
 *
 * @param condition on `process`, of `$2`
 * @returns these, by host and name
 */
export async function untilNone(
  on: Queryable,
  condition: string,
  value: string | number | boolean,
  isFinal: (rows: readonly ProcessRow[]) => boolean,
): Promise<string[]> {
  const { rows: clock } = await on.query<{ now: string }>({ text: 'select clock_timestamp()::text as now' });
  // By then those that were killed before count as gone.
  const until = performance.now() + (SEEN_WITHIN + 5) * 1_000;
  for (;;) {
    const { rows } = await on.query<ProcessRow>({
      text: `select host || ' (process ' || name || ', ' || build || ')' as name, seen > $3::timestamptz as again from process
       where seen > clock_timestamp() - make_interval(secs => $1) and seen < clock_timestamp() + interval '1 day' and ${condition} order by 1`,
      values: [SEEN_WITHIN, value, clock[0]!.now],
    });
    if (rows.length === 0 || isFinal(rows) || performance.now() > until) return rows.map(({ name }) => toldName(name));
    await pause(PROCESS_LOOKS);
  }
}

/** Characters of a name. */
const PROCESS_NAME_CHARACTERS = 200;

/** On one line of a terminal: a role that owns nothing may write these rows, whose owner reads them. */
function toldName(name: string): string {
  return name
    .slice(0, PROCESS_NAME_CHARACTERS)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
