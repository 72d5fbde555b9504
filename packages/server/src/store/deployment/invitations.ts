import type pg from 'pg';
import { gather } from '../../base/gather.js';
import { bytesArray } from '../arrays.js';
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

/** How an invitation stands, and the luid of the ledger that was made with it. */
export interface FoundInvitation {
  readonly state: 'open' | 'used' | 'expired' | 'unknown';
  readonly luid: string | undefined;
}

interface InvitationRow {
  readonly code: string;
  readonly state: FoundInvitation['state'];
  readonly luid: string | null;
}

/** Invitations that one statement looks for. Whoever asks may be a stranger, so one statement runs at a time. */
const TOGETHER = { batch: 100, queue: 1_000, concurrency: 1 } as const;

/** Finds how the invitation with this hash stands. @throws Overloaded when too many wait */
export function createInvitationStates(pool: pg.Pool): (code: Buffer) => Promise<FoundInvitation> {
  return gather(async (codes: readonly Buffer[]) => {
    const { rows } = await pool.query<InvitationRow>({
      name: 'invitation',
      text: `select encode(code, 'hex') as code, luid,
          case when used is not null then 'used' when expires <= clock_timestamp() then 'expired' else 'open' end as state
        from invitation where code = any($1::bytea[])`,
      values: [bytesArray(codes)],
    });
    const found = new Map(rows.map(({ code, state, luid }) => [code, { state, luid: luid ?? undefined }]));
    return codes.map((code) => found.get(code.toString('hex')) ?? { state: 'unknown' as const, luid: undefined });
  }, TOGETHER);
}

/**
 * Uses up an invitation, in the transaction that makes the ledger: whoever comes second waits for it.
 *
 * @returns whether it was open
 */
export async function takeInvitation(client: pg.PoolClient, code: Buffer, luid: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update invitation set used = date_trunc('milliseconds', clock_timestamp()), luid = $2
     where code = $1 and used is null and expires > clock_timestamp()`,
    [code, luid],
  );
  return rowCount === 1;
}

/** Days for which an invitation that is used or has expired is listed. */
const LISTED = 90;

/** Keeps a new invitation, and forgets those that ended long ago. @param seconds that it may be used for */
export async function storeInvitation(
  on: Queryable,
  { code, note, seconds }: { readonly code: Buffer; readonly note: string; readonly seconds: number },
): Promise<{ readonly id: number; readonly expires: Date }> {
  await on.query({
    text: 'delete from invitation where expires < clock_timestamp() - make_interval(days => $1)',
    values: [LISTED],
  });
  const { rows } = await on.query<{ id: number; expires: Date }>({
    text: `insert into invitation (code, note, expires)
      values ($1, $2, date_trunc('milliseconds', clock_timestamp() + make_interval(secs => $3))) returning id, expires`,
    values: [code, note, seconds],
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

/** Deletes an invitation that was not used. @returns whether there was one */
export async function revokeInvitation(on: Queryable, id: number): Promise<boolean> {
  const { rows } = await on.query({
    text: 'delete from invitation where id = $1 and used is null returning id',
    values: [id],
  });
  return rows.length > 0;
}
