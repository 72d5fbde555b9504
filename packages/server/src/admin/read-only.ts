import { parseReadOnly, READ_ONLY, type ReadOnlyMode } from '../store/deployment/read-only.js';
import { onDatabase, type Settings } from './database.js';
import { untilNone } from './processes.js';
import { WrongCall } from './refusals.js';
import { reasonOf } from './suspend.js';

/** Whether the server takes writes. */
export interface ReadOnlyState {
  /** Null where writes are taken. */
  readonly readOnly: ReadOnlyMode | null;
  /** Before this call. */
  readonly before: ReadOnlyMode | null;
  /** Processes that have not confirmed it, and may write still, by host and name. */
  readonly unconfirmed: readonly string[];
}

export interface ReadOnlyCall {
  readonly settings: Settings;
  readonly now: () => number;
  /** Only looked at unless given. */
  readonly mode?: 'on' | 'off' | undefined;
  /** Needed for `on`; told to those who are refused. */
  readonly reason?: string | undefined;
}

/**
 * Makes the server read-only, or ends that. Returns once every process has confirmed it, and does no write any more.
 *
 * @throws WrongCall for a reason that is missing, or cannot be told
 */
export function runReadOnly({ settings, now, mode, reason }: ReadOnlyCall): Promise<ReadOnlyState> {
  if (mode === 'on' && reason === undefined) throw new WrongCall('Read-only mode has a reason.');
  const next = mode === 'on' ? { reason: reasonOf(reason ?? ''), since: new Date(now()).toISOString() } : null;
  return onDatabase(settings, async ({ pool }) => {
    const { rows } = await pool.query<{ value: string }>('select value from deployment where name = $1', [READ_ONLY]);
    const before = parseReadOnly(rows[0]?.value ?? null) ?? null;
    if (mode === undefined) return { readOnly: before, before, unconfirmed: [] };
    if (next === null) await pool.query('delete from deployment where name = $1', [READ_ONLY]);
    else
      await pool.query(
        'insert into deployment (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
        [READ_ONLY, JSON.stringify(next)],
      );
    const unconfirmed = await untilNone(pool, 'is_read_only <> $2::boolean', next !== null, () => false);
    return { readOnly: next, before, unconfirmed };
  });
}
