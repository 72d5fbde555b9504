import type pg from 'pg';
import { Type } from 'typebox';
import { untilNone } from '../store/deployment/processes.js';
import { parseReadOnly, READ_ONLY_ROW, type ReadOnlyMode } from '../store/deployment/read-only.js';
import { choice, defineOperation } from './operation.js';
import { WrongCall } from './refusals.js';
import { parseReason } from './suspend.js';

/** Whether the server takes writes. */
export interface ReadOnlyState {
  /** Null where writes are taken. */
  readonly readOnly: ReadOnlyMode | null;
  /** Before this call. */
  readonly before: ReadOnlyMode | null;
  /** Processes that have not confirmed it, and may write still, by host and name. */
  readonly unconfirmed: readonly string[];
}

/** Makes the server read-only, ends that, or shows it. Returns once every process has confirmed it, and does no write any more. */
export const readOnly = defineOperation({
  input: Type.Object(
    {
      // Only looked at unless given.
      mode: Type.Optional(choice(['on', 'off'])),
      // Of `on`; told to those who are refused.
      reason: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  changes: ({ mode }) => mode !== undefined,
  async run({ onDatabase, now }, { mode, reason }) {
    if ((mode === 'on') !== (reason !== undefined))
      throw new WrongCall('Read-only mode is turned on with a reason, and off without one.');
    const next = mode === 'on' ? { reason: parseReason(reason ?? ''), since: new Date(now()).toISOString() } : null;
    return onDatabase(({ pool }) => setMode(pool, mode === undefined ? undefined : next));
  },
});

/** @param next undefined to look only; null to end it */
async function setMode(pool: pg.Pool, next: ReadOnlyMode | null | undefined): Promise<ReadOnlyState> {
  const { rows } = await pool.query<{ value: string }>('select value from deployment where name = $1', [READ_ONLY_ROW]);
  const before = parseReadOnly(rows[0]?.value ?? null) ?? null;
  if (next === undefined) return { readOnly: before, before, unconfirmed: [] };
  if (next === null) await pool.query('delete from deployment where name = $1', [READ_ONLY_ROW]);
  else
    await pool.query(
      'insert into deployment (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      [READ_ONLY_ROW, JSON.stringify(next)],
    );
  const unconfirmed = await untilNone(pool, 'is_read_only <> $2::boolean', next !== null, () => false);
  return { readOnly: next, before, unconfirmed };
}
