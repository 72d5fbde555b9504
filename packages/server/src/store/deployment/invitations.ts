import type pg from 'pg';
import { gather } from '../../base/gather.js';
import { bytesArray } from '../parameters.js';
import type { Queryable } from '../queries/statement.js';

/** An invitation as operators see it; its code is known to whoever was given it. */
export interface StoredInvitation {
  readonly id: number;
  readonly note: string;
  readonly made: Date;
  readonly expires: Date;
  readonly used: Date | null;
  readonly isExpired: boolean;
  /** Luid and handle of the ledger that was made by it. */
  readonly luid: string | null;
  readonly handle: string | null;
}

/** How an invitation stands: `open` may be used. */
export type InvitationState = 'open' | 'used' | 'expired' | 'unknown';

/** How an invitation stands, and the luid of the ledger that was made with it. */
export interface FoundInvitation {
  readonly state: InvitationState;
  readonly luid: string | undefined;
}

interface InvitationRow {
  /** In hex. */
  readonly hash: string;
  readonly state: InvitationState;
  readonly luid: string | null;
}

/** Invitations that one statement looks for. Whoever asks may be a stranger, so one statement runs at a time. */
const INVITATION_LOOKUPS = { batch: 100, queue: 1_000, concurrency: 1 } as const;

/** Finds how the invitation stands whose code has this SHA-256. @throws Overloaded when too many wait */
export function createFindInvitation(pool: pg.Pool): (hash: Buffer) => Promise<FoundInvitation> {
  return gather(async (hashes: readonly Buffer[]) => {
    const { rows } = await pool.query<InvitationRow>({
      name: 'invitation',
      text: `select encode(hash, 'hex') as hash, luid,
          case when used is not null then 'used' when expires <= clock_timestamp() then 'expired' else 'open' end as state
        from invitation where hash = any($1::bytea[])`,
      values: [bytesArray(hashes)],
    });
    const found = new Map(rows.map(({ hash, state, luid }) => [hash, { state, luid: luid ?? undefined }]));
    return hashes.map((hash) => found.get(hash.toString('hex')) ?? { state: 'unknown' as const, luid: undefined });
  }, INVITATION_LOOKUPS);
}

/**
 * Uses up an invitation, in the transaction that makes the ledger: whoever comes second waits for it.
 *
 * @param hash SHA-256 of its code
 * @param luid of the ledger
 * @returns whether it was open
 */
export async function takeInvitation(client: pg.PoolClient, hash: Buffer, luid: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update invitation set used = date_trunc('milliseconds', clock_timestamp()), luid = $2
     where hash = $1 and used is null and expires > clock_timestamp()`,
    [hash, luid],
  );
  return rowCount === 1;
}

/** Days after its expiry for which an invitation is kept, used or not. */
const KEPT_DAYS = 90;

/**
 * Stores a new invitation, and deletes those that expired over `KEPT_DAYS` days ago.
 *
 * @param hash SHA-256 of the code
 * @param seconds for which it is valid
 */
export async function storeInvitation(
  on: Queryable,
  { hash, note, seconds }: { readonly hash: Buffer; readonly note: string; readonly seconds: number },
): Promise<{ readonly id: number; readonly expires: Date }> {
  await on.query({
    text: 'delete from invitation where expires < clock_timestamp() - make_interval(days => $1)',
    values: [KEPT_DAYS],
  });
  const { rows } = await on.query<{ id: number; expires: Date }>({
    text: `insert into invitation (hash, note, expires)
      values ($1, $2, date_trunc('milliseconds', clock_timestamp() + make_interval(secs => $3))) returning id, expires`,
    values: [hash, note, seconds],
  });
  return rows[0]!;
}

/** The invitations, the newest first. @param limit how many at most */
export async function listInvitations(on: Queryable, limit: number): Promise<StoredInvitation[]> {
  const { rows } = await on.query<StoredInvitation>({
    text: `select i.id, i.note, i.made, i.expires, i.used, i.expires <= clock_timestamp() as "isExpired", i.luid, l.handle
      from invitation i left join ledger l on l.luid = i.luid order by i.id desc limit $1`,
    values: [limit],
  });
  return rows;
}

/** Deletes an invitation that was not used. @returns `used` or `unknown` where it deletes none */
export async function revokeInvitation(on: Queryable, id: number): Promise<'done' | 'used' | 'unknown'> {
  const { rows } = await on.query({
    text: 'delete from invitation where id = $1 and used is null returning id',
    values: [id],
  });
  if (rows.length > 0) return 'done';
  const { rows: kept } = await on.query({ text: 'select from invitation where id = $1', values: [id] });
  return kept.length > 0 ? 'used' : 'unknown';
}
