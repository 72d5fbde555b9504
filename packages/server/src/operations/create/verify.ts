import type { JsonObject } from '@countersign/protocol';
import type { ClientSignature } from '../../authorization/client-signature.js';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import type { Command } from '../../records/command.js';
import { applyLabels } from '../../records/labels.js';
import { newLuid } from '../../records/new-luid.js';
import { customsOf, verifyHash } from '../../records/proofs.js';
import type { SentRecord } from '../../records/sent-record.js';
import { asksForSecrets } from '../asks-for-secrets.js';
import { addHash, bodyChecksOf } from '../bodies.js';
import { verifyProofs } from '../verify-signed-body.js';

/** A create that has passed every check of the command alone. */
export interface Creation {
  readonly kind: Kind;
  readonly command: Command;
  readonly data: JsonObject;
  readonly signed: ClientSignature;
  readonly labels: string[] | undefined;
  /** Of the new record: the same each time the create is decided, since a bridge may know it. */
  readonly luid: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** Whether the answer shows the values of its secrets. */
  readonly reveals: boolean;
}

/** Checks the shape of a create, its hash and its proofs (interface/records#order-of-checks). */
export async function verifyCreate(session: Session, kind: Kind, command: Command): Promise<Creation> {
  const { body, token } = command;
  const { data, meta, ...sent } = bodyChecksOf(kind).create(addHash(session, body, token));
  await session.task.turn();
  // `sent` lacks both. Adding them to what a spread has copied takes V8 longer (decision 0026).
  const full = { data, ...(meta ? { meta } : {}), ...sent };
  const hash = verifyHash(session, full);
  const verifying = kind.lifecycle.isProcessed ? await withVerified(session, full) : session;
  const signed = verifyProofs(verifying, kind, hash, full, token);
  return {
    kind,
    command,
    data,
    signed,
    labels: applyLabels(undefined, customsOf(signed.proofs)),
    luid: command.luid ?? newLuid(session, kind),
    secrets: meta?.secret ?? {},
    reveals: asksForSecrets(kind, command),
  };
}

/**
 * The session, with a suite that has verified the proofs already. For intents: the main thread bounds how many are settled.
 */
async function withVerified(session: Session, { meta }: SentRecord): Promise<Session> {
  const proofs = meta?.proofs ?? [];
  // They are refused before any is verified.
  if (proofs.length > session.recordProofs) return session;
  const suite = await session.signatures.verifyAhead(session.ledger.id, proofs);
  await session.task.turn();
  return { ...session, suite };
}
