import { LedgerError } from '@countersign/protocol';
import type { CallerKey } from '../../access/caller.js';
import { decideAccess } from '../../access/decide.js';
import { assertNotOwnToken } from '../../auth/own-token.js';
import type { Token } from '../../auth/token.js';
import type { ClientSignature } from '../../authorization/caller.js';
import { kindNamed, rightTerms } from '../../kinds/registry.js';
import { hashInvitation, notInvited } from '../../ledgers/invitation.js';
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
 * rules let everyone create ledgers; a token is optional. An open invitation lets whoever sends it, whatever the rules are, and is used up
 * even where they allow the create without it; there, one that is not open is ignored.
 * Answers 201; 200 when the same signed body made it before.
 *
 * @param admit called once the caller is known to be allowed; what it throws refuses the request
 * @throws `auth.forbidden` where neither rules nor an invitation allow it; `record.duplicated` where the handle is taken
 */
// biome-ignore format: what each step refuses stands beside it
export async function createLedger(service: Service, command: Command, admit: () => void): Promise<Answer> {
  const { body, token } = command;
  const sent = bodyChecksOf(kind).create(body);                                 // record.schema-invalid
  await service.task.turn();
  const hash = verifyHash(service, sent);                                       // crypto.hash-invalid
  const sentProofs = clientProofs(service, hash, sent, false);                  // crypto.signature-missing, crypto.signature-invalid, record.invalid
  const handle = String(sent.data.handle);
  assertProofBinding({ handle }, kind, customsOf(sentProofs));                  // record.invalid
  assertMoments(service, customsOf(sentProofs));                                // record.invalid
  const proofs = sentProofs.signed;
  const repeat = (only?: string) => findRepeatedFounding(service, handle, { hash, proofs: sentProofs, token }, only);
  const isGranted = decideCreation(service, proofs, token);
  const { invitation, state, luid } = await findInvitation(service, command.invitation);
  if (!isGranted && state !== 'open') {
    // Of the ledger that was made with it, and no other.
    const repeated = luid === undefined ? undefined : await repeat(luid);       // auth.unauthorized
    noteDecision(service.facts, repeated !== undefined);
    if (repeated === undefined) throw notInvited(state);                        // auth.forbidden
    return repeated;
  }
  noteDecision(service.facts, true);
  admit();                                                                      // api.rate-limit-exceeded
  const owners = [...new Set(proofs.map((proof) => proof.public))];
  const stored = proofs.map((proof) => toStoredProof(proof, undefined, true));
  const uses = usesOfProofs(service, sentProofs);
  const ledger = newLedger(service, { hash, data: sent.data, proofs: stored, uses, owners });
  assertProofs(service, ledger.record.meta.proofs);                             // record.invalid
  const told = hintWithin(() => hintOnRules(undefined, sent.data, service.task));
  const create = (uses?: Buffer) =>
    service.store.ledgers.create({ handle, luid: ledger.luid, owners }, ledger.births, uses);
  const invited = await create(state === 'open' ? invitation : undefined);
  // Another request has used it up meanwhile.
  const made = invited === 'uninvited' && isGranted ? await create() : invited;
  if (made === 'done') return { status: 201, body: JSON.stringify(ledger.record), ...told };
  const repeated = await repeat();                                              // auth.unauthorized
  if (repeated !== undefined) return repeated;
  if (made === 'uninvited') throw notInvited(await stateAfter(service, invitation!)); // auth.forbidden
  throw new LedgerError('record.duplicated', `Ledger with handle ${handle} already exists.`); // record.duplicated
}

/** @param code of an invitation, where one counts */
async function findInvitation({ store }: Service, code: string | undefined) {
  if (code === undefined) return { invitation: undefined, state: 'none', luid: undefined } as const;
  const invitation = hashInvitation(code);
  return { invitation, ...(await store.ledgers.findInvitation(invitation)) };
}

/** Why an invitation that was open could not be used. @param hash of its code */
async function stateAfter({ store }: Service, hash: Buffer) {
  const { state } = await store.ledgers.findInvitation(hash);
  return state === 'open' ? 'used' : state;
}

/** Whether the rules of the deployment grant the creation: beside invitations only they do (interface/access#levels). */
function decideCreation(service: Service, proofs: readonly VerifiedProof[], token: Token | undefined): boolean {
  const keys: CallerKey[] = proofs.map((proof) => ({ public: proof.public }));
  const { claims, key } = token ?? {};
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
  return decision.granted;
}

/**
 * The answer with the ledger's record, when the same signed body made it; else undefined (interface/records#sending-a-request-again).
 *
 * @param luid of the ledger, where only one will do
 * @throws `auth.unauthorized` for a token that the ledger itself has signed
 */
async function findRepeatedFounding(
  service: Service,
  handle: string,
  signed: ClientSignature,
  luid?: string,
): Promise<Answer | undefined> {
  const ledger = await service.ledgers.resolve(handle).catch(noneWhenMissing);
  if (ledger === undefined || (luid !== undefined && ledger.luid !== luid)) return undefined;
  // The request is outside every ledger, so until here nobody knew whose token it has.
  assertNotOwnToken(ledger, signed.token);
  return inSession(openSession(service, ledger), async (session) => {
    const repeated = await findRepeatedCreate(session, kind, { key: handle, hash: signed.hash }, signed);
    return repeated && { status: 200, body: repeated.body };
  });
}

function noneWhenMissing(error: unknown): undefined {
  if (error instanceof LedgerError && error.reason === 'api.route-not-found') return undefined;
  throw error;
}
