import { LedgerError } from '@countersign/protocol';
import { databaseLimits } from '../database-limits.js';
import { isCanceled, type Queryable } from '../queries/statement.js';
import { isInForce } from './limits-in-force.js';

/**
 * What balances and intents under way name: a wallet by its luid, symbols and bridges by their handles. `factor` is a symbol
 * that amounts were counted in.
 */
export interface HeldName {
  readonly by: 'wallet' | 'symbol' | 'bridge' | 'factor';
  readonly id: string;
}

/**
 * What keeps a wallet, symbol or bridge from being dropped, or the factor of a symbol from being changed.
 *
 * @returns symbols of a wallet that its balance differs from zero in, or that intents under way move, in order and up to 100;
 *   of the others their own handle. Empty when nothing does
 * @throws `api.request-timeout` when the query takes too long
 */
export type Holds = (query: { readonly ledger: number } & HeldName) => Promise<readonly string[]>;

const FROM_INTENTS_USING = 'from open_intent o where o.ledger_id = $1 and o.uses @> array[$3::text]';

/** Symbols of what an intent plans with the wallet, its entries and limits (money/open-state.ts). */
const PLANNED = `select jsonb_path_query(o.state::jsonb, '$.state.plan.*[*] ? (@.luid == $id).symbol',
  jsonb_build_object('id', $2::text)) #>> '{}' collate "C" as held ${FROM_INTENTS_USING}`;

const NOT_ZERO = '(available <> 0 or reserved <> 0)';

const STATEMENTS: Readonly<Record<HeldName['by'], string>> = {
  wallet: `select symbol as held from balance where ledger_id = $1 and wallet = $2 and ${NOT_ZERO}
    union ${PLANNED} order by held limit 100`,
  symbol: `(select symbol as held from balance where ledger_id = $1 and symbol = $2 and ${NOT_ZERO} limit 1)
    union all select $2::text as held ${FROM_INTENTS_USING} limit 1`,
  bridge: `select $2::text as held ${FROM_INTENTS_USING} limit 1`,
  // A balance of 0 counts as well: what has moved is on record in 1/factor units.
  factor: `(select symbol as held from balance where ledger_id = $1 and symbol = $2 limit 1)
    union all (select symbol from wallet_limit w where ledger_id = $1 and symbol = $2 and ${isInForce('w', '$1')} limit 1)
    union all select $2::text ${FROM_INTENTS_USING} limit 1`,
};

/** How rows of intents under way name what they use. */
export function nameUse(ledger: number, { by, id }: HeldName): string {
  if (by === 'wallet') return id;
  return `${by === 'factor' ? 'symbol' : by}:${ledger}:${id}`;
}

/** @param on cancels statements after `databaseLimits.listing` milliseconds */
export function createHolds(on: Queryable): Holds {
  return async ({ ledger, by, id }) => {
    const statement = { name: `holds-${by}`, text: STATEMENTS[by], values: [ledger, id, nameUse(ledger, { by, id })] };
    const { rows } = await on.query<{ held: string }>(statement).catch(throwIfTooMany);
    return rows.map(({ held }) => held);
  };
}

function throwIfTooMany(error: unknown): never {
  if (!isCanceled(error)) throw error;
  const detail = `What is under way was not looked through within ${databaseLimits.listing / 1000} seconds.`;
  throw new LedgerError('api.request-timeout', detail);
}
