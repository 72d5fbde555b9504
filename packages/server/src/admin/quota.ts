import type pg from 'pg';
import { Type } from 'typebox';
import { findNamedLedger } from '../archive/named-ledger.js';
import { type LedgerQuota, parseQuota } from '../ledger-quota.js';
import { type ShownQuota, viewQuota } from './ledgers.js';
import { defineOperation, LEDGER_NAME } from './operation.js';
import { WrongCall } from './refusals.js';

/** What a ledger stores, and may store. */
export interface QuotaOfLedger {
  readonly handle: string;
  readonly luid: string;
  readonly bytes: number;
  readonly quota: ShownQuota;
}

/** Sets what a ledger may store, or shows it. Processes follow within ten seconds. */
export const quota = defineOperation({
  input: Type.Object(
    // `10GiB`; `default` for what the server allows each; only looked at unless given.
    { ledger: LEDGER_NAME, bytes: Type.Optional(Type.String({ maxLength: 100 })) },
    { additionalProperties: false },
  ),
  changes: ({ bytes }) => bytes !== undefined,
  async run({ onDatabase }, { ledger, bytes }) {
    const quota = bytes === undefined ? undefined : parseLedgerQuota(bytes);
    return onDatabase(({ pool, config }) => setQuota(pool, ledger, quota, config.ledgerQuota));
  },
});

async function setQuota(
  pool: pg.Pool,
  ledger: string,
  quota: number | null | undefined,
  each: LedgerQuota,
): Promise<QuotaOfLedger> {
  const { id, handle, luid } = await findNamedLedger(pool, ledger, WrongCall);
  if (quota !== undefined)
    await pool.query(
      `insert into storage (ledger_id, bytes, quota) values ($1, 0, $2)
       on conflict (ledger_id) do update set quota = excluded.quota`,
      [id, quota],
    );
  const { rows } = await pool.query<{ bytes: number; quota: number | null }>(
    `select coalesce(s.bytes, 0)::bigint + (select coalesce(sum(u.bytes), 0)::bigint from unsealed u where u.ledger_id = $1)
       as bytes, s.quota
     from ledger l left join storage s on s.ledger_id = $1 where l.id = $1`,
    [id],
  );
  const { bytes: stored, quota: own } = rows[0]!;
  return { handle, luid, bytes: stored, quota: viewQuota(own, each) };
}

/** Null for what the server allows each. */
function parseLedgerQuota(text: string): number | null {
  if (text === 'default') return null;
  // None at all: what is stored stays, and nothing is added.
  if (text === '0') return 0;
  try {
    const quota = parseQuota(text);
    if (quota !== undefined && 'bytes' in quota && Number.isSafeInteger(quota.bytes)) return quota.bytes;
  } catch {
    // Told below.
  }
  throw new WrongCall(`A quota is bytes such as 10GiB, or default, not ${text}.`);
}
