import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { hashInvitation, INVITATION_BYTES, invitationCode } from '../ledgers/invitation.js';
import {
  listInvitations,
  revokeInvitation,
  type StoredInvitation,
  storeInvitation,
} from '../store/deployment/invitations.js';
import { defineOperation } from './operation.js';
import { AdminRefused, WrongCall } from './refusals.js';

/** A new invitation. Its code is in no other answer. */
export interface MadeInvitation {
  readonly id: number;
  readonly code: string;
  readonly note: string;
  /** ISO 8601. */
  readonly expires: string;
}

/** An invitation as it is listed. Moments are ISO 8601. */
export interface InvitationLine {
  readonly id: number;
  readonly note: string;
  readonly made: string;
  readonly expires: string;
  readonly state: 'open' | 'used' | 'expired';
  /** The ledger that was made by it; null where none was. */
  readonly ledger: { readonly luid: string; readonly handle: string } | null;
}

export interface InvitationsPage {
  /** The newest first. */
  readonly invitations: readonly InvitationLine[];
  /** Whether there are more. */
  readonly isMore: boolean;
}

/** Characters of a note. */
const NOTE_CHARACTERS = 200;

/** Seconds that an invitation lives at least, and at most. */
const LIFE = { minimum: 60, maximum: 90 * 86_400 } as const;

/** Makes an invitation, by whose code one ledger is made once. */
export const invite = defineOperation({
  input: Type.Object(
    { note: Type.String({ maxLength: NOTE_CHARACTERS }), seconds: Type.Integer(LIFE) },
    { additionalProperties: false },
  ),
  changes: () => true,
  async run({ onDatabase }, { note, seconds }): Promise<MadeInvitation> {
    if (/\p{Cc}/u.test(note)) throw new WrongCall('A note is one line.');
    const code = invitationCode(randomBytes(INVITATION_BYTES));
    return onDatabase(async ({ pool }) => {
      const { id, expires } = await storeInvitation(pool, { hash: hashInvitation(code), note, seconds });
      return { id, code, note, expires: expires.toISOString() };
    });
  },
});

/** Lists invitations, or revokes one that was not used. */
export const invitations = defineOperation({
  input: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
      // The id of the one that is revoked; only looked at unless given.
      revoke: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    },
    { additionalProperties: false },
  ),
  changes: ({ revoke }) => revoke !== undefined,
  run: ({ onDatabase }, { limit, revoke }) =>
    onDatabase(async ({ pool }): Promise<InvitationsPage> => {
      if (revoke !== undefined) assertRevoked(revoke, await revokeInvitation(pool, revoke));
      const found = await listInvitations(pool, limit + 1);
      return { invitations: found.slice(0, limit).map(invitationLine), isMore: found.length > limit };
    }),
});

/** @throws WrongCall where there is none; AdminRefused where it was used */
function assertRevoked(id: number, outcome: Awaited<ReturnType<typeof revokeInvitation>>): void {
  const where = '`countersign admin invitations`';
  if (outcome === 'unknown') throw new WrongCall(`Invitation ${id} does not exist: see ${where}.`);
  if (outcome === 'used')
    throw new AdminRefused(`Invitation ${id} was used, so it cannot be revoked: ${where} shows its ledger.`);
}

function invitationLine({ id, note, made, expires, used, isExpired, luid, handle }: StoredInvitation): InvitationLine {
  const state = used !== null ? 'used' : isExpired ? 'expired' : 'open';
  const ledger = luid === null ? null : { luid, handle: handle ?? '' };
  return { id, note, made: made.toISOString(), expires: expires.toISOString(), state, ledger };
}
