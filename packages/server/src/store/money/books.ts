import type pg from 'pg';
import type { BalanceWrite, LimitWrite } from '../committer/settlement.js';
import { isInForce } from './limits-in-force.js';

/** A balance as it is stored. */
export type StoredBalance = Omit<BalanceWrite, 'was'>;

/** A limit as it is stored. */
export type StoredLimit = Omit<LimitWrite, 'was'>;

/** A wallet, by luid, and a symbol. */
export interface Place {
  readonly wallet: string;
  readonly symbol: string;
}

/** The balances and limits at so many places; those that do not exist, and limits that ended with their symbol, are left out. */
export type LoadBooks = (
  ledger: number,
  places: readonly Place[],
) => Promise<{ readonly balances: readonly StoredBalance[]; readonly limits: readonly StoredLimit[] }>;

interface BalanceColumns {
  readonly wallet: string;
  readonly symbol: string;
  readonly version: number;
  readonly available: number;
  readonly available_luid: string;
  readonly available_moment: Date;
  readonly available_changed: boolean;
  readonly reserved: number | null;
  readonly reserved_luid: string;
  readonly reserved_moment: Date;
  readonly reserved_changed: boolean;
}

type LimitColumns = Omit<StoredLimit, 'day'> & { readonly day: string | null };

const FIND_BALANCES = `select b.wallet, b.symbol, b.version, b.available, b.available_luid, b.available_moment, b.available_changed,
    b.reserved, b.reserved_luid, b.reserved_moment, b.reserved_changed
  from unnest((select $2::text[]), (select $3::text[])) as p(wallet, symbol)
    join balance b on b.ledger_id = $1 and b.wallet = p.wallet and b.symbol = p.symbol`;

const FIND_LIMITS = `select l.wallet, l.symbol, l.metric, l.luid, l.version, l.amount, l.day::text, l.used, l.body
  from unnest((select $2::text[]), (select $3::text[])) as p(wallet, symbol)
    join wallet_limit l on l.ledger_id = $1 and l.wallet = p.wallet and l.symbol = p.symbol
  where ${isInForce('l', '$1')}`;

export function createLoadBooks(pool: pg.Pool): LoadBooks {
  return async (ledger, places) => {
    const values = [ledger, places.map(({ wallet }) => wallet), places.map(({ symbol }) => symbol)];
    const balances = await pool.query<BalanceColumns>({ name: 'books-balances', text: FIND_BALANCES, values });
    // Limits are read after balances. One on a balance that is set in between has given that balance a newer version, so the
    // commit refuses what rests on the balance. The other way round, a decision could miss the limit unnoticed.
    const limits = await pool.query<LimitColumns>({ name: 'books-limits', text: FIND_LIMITS, values });
    return {
      balances: balances.rows.map(toBalance),
      limits: limits.rows.map(({ day, ...limit }) => ({ ...limit, ...(day === null ? {} : { day }) })),
    };
  };
}

function toBalance(row: BalanceColumns): StoredBalance {
  const { wallet, symbol, version } = row;
  const available = {
    amount: row.available,
    luid: row.available_luid,
    moment: row.available_moment.toISOString(),
    isChanged: row.available_changed,
  };
  if (row.reserved === null) return { wallet, symbol, version, available };
  const reserved = {
    amount: row.reserved,
    luid: row.reserved_luid,
    moment: row.reserved_moment.toISOString(),
    isChanged: row.reserved_changed,
  };
  return { wallet, symbol, version, available, reserved };
}
