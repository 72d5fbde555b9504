import { type JsonObject, LedgerError } from '@countersign/protocol';
import type { CallerKey } from '../../access/caller.js';
import { decideAccess } from '../../access/decide.js';
import { accessRefusal } from '../../access/refusal.js';
import { assertNotOwnToken } from '../../auth/own-token.js';
import type { ClientSignature } from '../../authorization/caller.js';
import { kindNamed, rightTerms } from '../../kinds/registry.js';
import { noteCaller, noteDecision } from '../../ledgers/request-facts.js';
import type { Service } from '../../ledgers/service.js';
import { inSession, openSession } from '../../ledgers/session.js';
import type { Answer, Command } from '../../records/command.js';
import { assertMoments, assertProofBinding, assertProofs } from '../../records/proof-rules.js';
import {
  clientProofs,
  customsOf,
  toStoredProof,
  usesOfProofs,
  type VerifiedProof,
  verifyHash,
} from '../../records/proofs.js';
import { bodyChecksOf } from '../bodies.js';
import { hintOnRules, hintWithin } from '../hints.js';
import { findRepeatedCreate } from '../repetition.js';
import { newLedger } from './birth.js';

const kind = kindNamed('ledger');

/**
 * `POST /ledgers` (interface/ledgers#create-a-ledger): a new tenant. A signed body suffices where the deployment's
 * rules let everyone create ledgers; a token is optional. Answers 201; 200 when the same signed body made it before.
 *
 * @param admit called once the caller is known to be allowed; what it throws refuses the request
 */
export async function createLedger(service: Service, command: Command, admit: () => void): Promise<Answer> {
  const { body, token } = command;
  const sent = bodyChecksOf(kind).create(body);
  await service.task.turn();
  const hash = verifyHash(service, sent);
  const sentProofs = clientProofs(service, hash, sent, false);
  const handle = String(sent.data.handle);
  assertProofBinding({ handle }, kind, customsOf(sentProofs));
  assertMoments(service, customsOf(sentProofs));
  const proofs = sentProofs.signed;
  assertMayCreate(service, proofs, token?.claims, token?.key);
  admit();
  const owners = [...new Set(proofs.map((proof) => proof.public))];
  const stored = proofs.map((proof) => toStoredProof(proof, undefined, true));
  const uses = usesOfProofs(service, sentProofs);
  const ledger = newLedger(service, { hash, data: sent.data, proofs: stored, uses, owners });
  assertProofs(service, ledger.record.meta.proofs);
  const told = hintWithin(() => hintOnRules(undefined, sent.data, service.task));
  if (await service.store.ledgers.create({ handle, luid: ledger.luid, owners }, ledger.births)) {
    return { status: 201, body: JSON.stringify(ledger.record), ...told };
  }
  const repeated = await findRepeatedFounding(service, handle, { hash, proofs: sentProofs, token });
  if (repeated !== undefined) return { status: 200, body: repeated };
  throw new LedgerError('record.duplicated', `Ledger with handle ${handle} already exists.`);
}

/** Only the rules of the deployment grant the creation of a ledger (interface/access#levels). */
function assertMayCreate(
  service: Service,
  proofs: readonly VerifiedProof[],
  claims: JsonObject | undefined,
  key: string | undefined,
): void {
  const keys: CallerKey[] = proofs.map((proof) => ({ public: proof.public }));
  const caller = { proofs: keys, ...(claims ? { token: { claims, ...(key ? { key: { public: key } } : {}) } } : {}) };
  const none = { access: [], owners: [], policyBased: false };
  const context = {
    ledger: none,
    policies: new Map(),
    server: service.serverRules,
    domains: [],
    terms: rightTerms,
    cost: service.task,
  };
  const decision = decideAccess('create', 'ledger', caller, context);
  service.explain?.({ action: 'create', record: 'ledger', ...decision });
  noteCaller(service.facts, caller);
  if (!noteDecision(service.facts, decision.granted)) {
    throw accessRefusal('create', 'ledger', { credentials: true });
  }
}

/**
 * The ledger's record, when the same signed body made it; else undefined (interface/records#sending-a-request-again).
 *
 * @throws `auth.unauthorized` for a token that the ledger itself has signed
 */
async function findRepeatedFounding(
  service: Service,
  handle: string,
  signed: ClientSignature,
): Promise<string | undefined> {
  const ledger = await service.ledgers.resolve(handle);
  // The request is outside every ledger, so until here nobody knew whose token it has.
  assertNotOwnToken(ledger, signed.token);
  return inSession(openSession(service, ledger), async (session) => {
    const repeated = await findRepeatedCreate(session, kind, { key: handle, hash: signed.hash }, signed);
    return repeated?.body;
  });
}
