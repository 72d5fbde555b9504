import type { JsonObject } from '@countersign/protocol';
import type { ClientSignature } from '../../authorization/client-signature.js';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import type { Command } from '../../records/command.js';
import { addHash, bodyChecksOf } from '../bodies.js';
import { verifySignedBody } from '../verify-signed-body.js';

/** An update that has passed every check of the command alone. */
export interface Update {
  readonly kind: Kind;
  readonly data: JsonObject;
  readonly luid?: unknown;
  readonly signed: ClientSignature;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Checks the shape of an update, its hash and its proofs (interface/records#order-of-checks). */
export async function verifyUpdate(session: Session, kind: Kind, { body, token }: Command): Promise<Update> {
  const sent = bodyChecksOf(kind).update(addHash(session, body, token));
  const signed = await verifySignedBody(session, kind, sent, token);
  return { kind, data: sent.data, luid: sent.luid, signed, secrets: sent.meta?.secret ?? {} };
}
