import { createHash } from 'node:crypto';
import { LedgerError } from '@countersign/protocol';
import type { InvitationState } from '../store/deployment/invitations.js';

/** 192 random bits, in a form that neither a token nor a handle has. */
const CODE = /^inv_[\w-]{32}$/;
const BEARER = /^Bearer +([^ ]+)$/i;

/** Random bytes of a code. */
export const INVITATION_BYTES = 24;

/** @param random `INVITATION_BYTES` of them */
export function invitationCode(random: Uint8Array): string {
  return `inv_${Buffer.from(random).toString('base64url')}`;
}

/** What is kept of a code: its SHA-256. It cannot be guessed, so more work would slow nobody but those who have it. */
export function hashInvitation(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** The code that a request carries in place of a token; undefined where it carries none. @param authorization the header as sent */
export function invitationIn(authorization: string | undefined): string | undefined {
  const sent = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  return sent !== undefined && CODE.test(sent) ? sent : undefined;
}

const INVITATION_HINTS: Readonly<Record<Exclude<InvitationState, 'open'> | 'none', string>> = {
  none: 'The operator of this server decides who may create ledgers. If you have an invitation, send its code as the bearer token.',
  used: 'The invitation was used already. Ask the operator of this server for another one.',
  expired: 'The invitation has expired. Ask the operator of this server for another one.',
  unknown:
    'The invitation is not one of this server, or was revoked. Compare the code with what the operator sent you.',
};

/** The refusal of whoever may make no ledger here. @param state of the invitation that was sent; `none` where there was none */
export function notInvited(state: keyof typeof INVITATION_HINTS): LedgerError {
  return new LedgerError('auth.forbidden', 'Cannot create ledger.', { hint: INVITATION_HINTS[state] });
}
