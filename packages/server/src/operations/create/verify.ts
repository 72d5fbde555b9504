import type { JsonObject } from '@countersign/protocol';
import type { Signed } from '../../authorization/signed.js';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import type { Command } from '../../records/command.js';
import { labelsAfter } from '../../records/labels.js';
import { newLuid } from '../../records/new-luid.js';
import { customsOf } from '../../records/proofs.js';
import { asksForSecrets } from '../asks-for-secrets.js';
import { addHash, bodyChecksOf } from '../bodies.js';
import { verifySignedBody } from '../verify-signed-body.js';

/** A create that has passed every check of the command alone. */
export interface Creation {
  readonly kind: Kind;
  readonly command: Command;
  readonly data: JsonObject;
  readonly signed: Signed;
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
  // What is processed comes in numbers, and its process is bound by this thread.
  const suite = kind.lifecycle.isProcessed
    ? await session.signatures.verifyAhead(session.ledger.id, meta?.proofs ?? [])
    : session.suite;
  const full = { ...sent, data, ...(meta ? { meta } : {}) };
  const signed = verifySignedBody({ ...session, suite }, kind, full, token);
  return {
    kind,
    command,
    data,
    signed,
    labels: labelsAfter(undefined, customsOf(signed.proofs)),
    luid: newLuid(session, kind),
    secrets: meta?.secret ?? {},
    reveals: asksForSecrets(kind, command),
  };
}
