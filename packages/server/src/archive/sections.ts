import type { BalanceLine, BalancePart, EntryLine, LimitLine, StateLine } from '@countersign/verifier';
import { isInForce } from '../store/money/limits-in-force.js';

/** Rows of a table that stand in an export as they are, one line for each, in an order that stays. */
export interface Section {
  /** The sort of its lines. */
  readonly line: string;
  /** Selects the rows of the ledger `$1`. */
  readonly select: string;
  readonly toLine: (row: SectionRow) => object;
}

/** A row as the driver has it. */
export type SectionRow = Readonly<Record<string, unknown>>;

const BALANCE_ROWS = `select wallet, symbol, version, available, available_luid, available_moment, available_changed,
  reserved, reserved_luid, reserved_moment, reserved_changed
  from balance where ledger_id = $1 order by wallet, symbol`;

const ENTRY_ROWS = `select wallet, symbol, version, intent, change, available_by as "availableBy", reserved_by as "reservedBy",
  available, reserved, moment from entry where ledger_id = $1 order by wallet, symbol, version`;

const LIMIT_ROWS = `select wallet, symbol, metric, version, amount, day::text, used, body as text
  from wallet_limit w where ledger_id = $1 and ${isInForce('w', '$1')} order by wallet, symbol, metric`;

const OPEN_INTENT_ROWS = `select luid, thread, version, due, deadline, stage, state, mac
  from open_intent where ledger_id = $1 order by luid`;

const DELIVERY_ROWS = `select handle, effect, effect_handle, effect_change, effect_domain, bridge, target, record, linked, event,
  moment, status, attempts, tries, signed, attempted, coalesce(due, aside) as due, proofs, purpose, entry, given_up, mac,
  given_up_mac from delivery where ledger_id = $1 order by seq`;

const RETRIES = `select owner, id, slot, requested, since, domains, worked,
  (select count(*) from delivery d where d.ledger_id = $1 and d.seq <= r.reached) as reached,
  (select count(*) from delivery d where d.ledger_id = $1 and d.seq <= r.until) as until
  from delivery_retry r where ledger_id = $1 order by owner, id, slot`;

const SCHEDULES = `select policy, hash, through, next_at from schedule where ledger_id = $1 order by policy`;

/** Rows that the server works with. The codes of rows are compared and left out: a database makes its own. */
const state = (line: StateLine['line'], select: string): Section => ({
  line,
  select,
  toLine: ({ mac, given_up_mac, ...row }) => ({ line, ...dropNulls(row) }),
});

/** What follows the versions, in the order of the file. */
export const SECTIONS: readonly Section[] = [
  { line: 'balance', select: BALANCE_ROWS, toLine: balanceLine },
  { line: 'entry', select: ENTRY_ROWS, toLine: (row) => ({ line: 'entry', ...dropNulls(row) }) as EntryLine },
  { line: 'limit', select: LIMIT_ROWS, toLine: (row) => ({ line: 'limit', ...dropNulls(row) }) as LimitLine },
  state('open', OPEN_INTENT_ROWS),
  state('delivery', DELIVERY_ROWS),
  state('retry', RETRIES),
  state('schedule', SCHEDULES),
];

function balanceLine(row: SectionRow): BalanceLine {
  const side = (name: string): BalancePart => ({
    amount: row[name] as number,
    luid: row[`${name}_luid`] as string,
    moment: timeText(row[`${name}_moment`]),
    isChanged: row[`${name}_changed`] as boolean,
  });
  const { wallet, symbol, version } = row as { wallet: string; symbol: string; version: number };
  const reserved = row.reserved === null ? {} : { reserved: side('reserved') };
  return { line: 'balance', wallet, symbol, version, available: side('available'), ...reserved };
}

/** The row without its nulls, times as text. */
function dropNulls(row: SectionRow): SectionRow {
  const entries = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, value instanceof Date ? timeText(value) : value]));
}

/** Empty for a time that is missing where the ledger writes one: the row was altered. */
function timeText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : '';
}
