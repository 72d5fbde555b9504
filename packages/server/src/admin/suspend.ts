import type pg from 'pg';
import { Type } from 'typebox';
import { findNamedLedger } from '../archive/named-ledger.js';
import type { Suspension } from '../ledgers/suspension.js';
import { choice, defineOperation, LEDGER_NAME } from './operation.js';
import { WrongCall } from './refusals.js';

/** How a ledger stands. */
export interface SuspensionOfLedger {
  readonly handle: string;
  readonly luid: string;
  /** Null where nothing is stopped. */
  readonly suspended: StoredSuspension | null;
  /** What was stopped before. */
  readonly before: StoredSuspension | null;
}

export interface StoredSuspension extends Suspension {
  /** ISO 8601. */
  readonly since: string;
}

/** Characters of a reason: it is in each refusal. */
const REASON_CHARACTERS = 500;

/** Stops the writes of a ledger, or its reads as well. Each process sees it with its next read of the ledger, or commit. */
export const suspendLedger = defineOperation({
  input: Type.Object(
    { ledger: LEDGER_NAME, level: choice(['writes', 'all']), reason: Type.String() },
    { additionalProperties: false },
  ),
  changes: () => true,
  async run({ onDatabase }, { ledger, level, reason }) {
    const told = parseReason(reason);
    return onDatabase(({ pool }) => changeSuspension(pool, ledger, { level, reason: told }));
  },
});

/** A reason as it is told. @throws WrongCall for one that cannot be */
export function parseReason(text: string): string {
  const told = text.trim();
  if (told.length > 0 && told.length <= REASON_CHARACTERS && !/\p{Cc}/u.test(told)) return told;
  throw new WrongCall(`A reason is one line of 1 to ${REASON_CHARACTERS} characters.`);
}

/** Lets a ledger go on. */
export const resumeLedger = defineOperation({
  input: Type.Object({ ledger: LEDGER_NAME }, { additionalProperties: false }),
  changes: () => true,
  run: ({ onDatabase }, { ledger }) => onDatabase(({ pool }) => changeSuspension(pool, ledger, undefined)),
});

/**
 * The version rises, since the state that processes hold of the ledger changes. Citus refuses `clock_timestamp()` in an update, of distributed
 * and reference tables alike. It takes `statement_timestamp()`, but within CASE only in an update that has a FROM, as this one.
 */
const CHANGE = `update ledger l set version = l.version + 1, suspended = $2, suspended_why = $3,
    suspended_since = case when $2::text is not null then date_trunc('milliseconds', statement_timestamp()) end
  from (select id, suspended, suspended_why, suspended_since from ledger where id = $1 for no key update) b
  where l.id = b.id
  returning l.handle, l.luid, l.suspended as level, l.suspended_why as reason, l.suspended_since as since,
    b.suspended as "levelBefore", b.suspended_why as "reasonBefore", b.suspended_since as "sinceBefore"`;

interface ChangedSuspension extends SuspensionColumns {
  readonly handle: string;
  readonly luid: string;
  readonly levelBefore: SuspensionColumns['level'];
  readonly reasonBefore: string | null;
  readonly sinceBefore: Date | null;
}

/** What the table `ledger` has. */
export interface SuspensionColumns {
  readonly level: Suspension['level'] | null;
  readonly reason: string | null;
  readonly since: Date | null;
}

async function changeSuspension(
  pool: pg.Pool,
  ledger: string,
  to: Suspension | undefined,
): Promise<SuspensionOfLedger> {
  const { id } = await findNamedLedger(pool, ledger, WrongCall);
  const { rows } = await pool.query<ChangedSuspension>(CHANGE, [id, to?.level ?? null, to?.reason ?? null]);
  const { handle, luid, levelBefore, reasonBefore, sinceBefore, ...now } = rows[0]!;
  const before = { level: levelBefore, reason: reasonBefore, since: sinceBefore };
  return { handle, luid, suspended: suspensionOf(now), before: suspensionOf(before) };
}

export function suspensionOf({ level, reason, since }: SuspensionColumns): StoredSuspension | null {
  if (level === null || since === null) return null;
  return { level, reason: reason ?? '', since: since.toISOString() };
}
