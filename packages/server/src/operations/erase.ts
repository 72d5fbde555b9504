import { setTimeout as pause } from 'node:timers/promises';
import { type ChangeAction, isLuid, LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import { type AccessRequest, authorize, toAccessRequest } from '../authorization/authorize.js';
import { assertSignature, type ClientSignature, callerOfWrite } from '../authorization/caller.js';
import { domainOfRecord } from '../authorization/context.js';
import { clientTrail } from '../authorization/trail.js';
import { Overloaded } from '../base/gather.js';
import { finalStatuses, namesKept, whyNotErased } from '../kinds/erasable.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Session } from '../ledgers/session.js';
import { inSession } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { type ErasureData, erasureCustom, erasureWrite } from '../records/erasure.js';
import { usesOfProofs } from '../records/proofs.js';
import { assertUnder, getParent, getRecord, type StoredRecord } from '../records/stored-record.js';
import { recordKeyOf } from '../records/version.js';
import { erasureLimits, Unsealed } from '../store/erasure.js';
import { addHash, erasureBody, erasureBodySchema } from './bodies.js';
import { type Operation, SIGNED } from './operation.js';
import { mayEnd } from './stored-bytes.js';
import { verifySignedBody } from './verify-signed-body.js';

/**
 * `POST /{kind}s/{luid}/erase` (interface/records#erase): forgets the texts of a dropped record, or of a final intent.
 * Answers the change that says so; that of the first request to every later one.
 *
 * @throws `record.invalid` for a record that must be dropped before, or is not final; Overloaded while its changes wait to
 *   be sealed
 */
// biome-ignore format: what each step refuses stands beside it
export async function erase(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const { body, token } = command;
  const sent = erasureBody(addHash(session, body, token));                      // record.schema-invalid
  const signed = await verifySignedBody(session, kind, sent, token);            // crypto.hash-invalid, crypto.signature-missing, crypto.signature-invalid, record.invalid
  for (let tries = 1; ; tries += 1) {
    try {
      return await inSession(session, (session) =>
        attemptErasure(session, kind, command, sent.data as ErasureData, signed),
      );
    } catch (error) {
      if (!(error instanceof Unsealed)) throw error;
      if (tries === erasureLimits.tries) throw new Overloaded(error.message);
      session.logs.wake();
      await pause(erasureLimits.pause);
    }
  }
}

// biome-ignore format: what each step refuses stands beside it
async function attemptErasure(
  session: Session,
  kind: Kind,
  command: Command,
  data: ErasureData,
  signed: ClientSignature,
): Promise<Answer> {
  const { stored, action, domain } = await findLatest(session, kind, command);  // record.not-found, record.invalid
  const { record, change } = stored;
  const refusal = whyNotErased(kind, { status: record.meta.status, isDropped: action === 'drop' });
  const commits = action !== 'erase' && refusal === undefined;
  const caller = await callerOfWrite(session, signed.proofs.signed, signed.token, commits);
  assertSignature(signed, caller);                                              // crypto.signature-missing
  await authorize(session, caller, requestFor(kind, stored));                   // auth.unauthorized, auth.forbidden
  if (data.luid !== record.luid) throw invalidErasure('Luid in the data does not match the luid of the record'); // record.invalid
  if (action === 'erase') return { status: 200, body: stored.body, stored: 'before' };
  if (refusal !== undefined) throw invalidErasure(refusal);                     // record.invalid
  if (data.change !== change) throw invalidErasure(`The last change of the record is ${change}`); // record.invalid
  const now = session.moment(record.meta);
  const { hash } = signed;
  const proofs = [
    ...(await clientTrail(session, kind, signed, caller, now)),
    session.ledger.system.stored(hash, erasureCustom(data, now)),
  ];
  const write = erasureWrite(session.ledger, { kind, data, hash, domain, proofs, moment: now });
  const { store, ledger } = session;
  const { deliveryMac } = session.integrity;
  const uses = usesOfProofs(session, signed.proofs);
  const names = action === 'drop' ? [] : namesKept(kind, recordKeyOf(kind, record));
  await session.commit({ ...write, proofs: uses, mayExceed: mayEnd(write, stored.body) }, (write) =>
    store.erase({ write, names, keyOf: keyReaderOf(kind), veil: ledger.veil, deliveryMac }),
  );
  return { status: 200, body: write.body };
}

/**
 * The right that is asked for. Of a final record, rules of itself and of its domain do not count: its maker wrote the one and
 * picked the other, and could erase a payment that others rely on.
 */
function requestFor(kind: Kind, stored: StoredRecord): AccessRequest {
  if (finalStatuses(kind).length === 0) return toAccessRequest('erase', kind, stored);
  const { access: _, ...data } = stored.record.data;
  return { ...toAccessRequest('erase', kind, { ...stored, record: { ...stored.record, data } }), isOutside: true };
}

interface Latest {
  /** As its last change left it. */
  readonly stored: StoredRecord;
  /** What that change has done. */
  readonly action: ChangeAction;
  readonly domain: string | undefined;
}

/** The record of the path, dropped, erased or in force. @throws `record.not-found`, and as `getRecord` does */
async function findLatest(session: Session, kind: Kind, command: Command): Promise<Latest> {
  const luid = command.params.id ?? '';
  if (!isLuid(luid, kind.prefix)) {
    // Its handle is forgotten with it: the request could not be sent again.
    if (finalStatuses(kind).length > 0) throw notFound(kind);
    return findInForce(session, kind, command);
  }
  const latest = await session.store.history.latest({ ledger: session.ledger.id, kind: kind.name, luid });
  if (!latest) throw notFound(kind);
  const { action, change, body } = latest;
  if (action === 'create' || action === 'update') return findInForce(session, kind, command);
  const record = readJson(body) as RecordEnvelope;
  const stored = { record, change, body };
  // What it lay under is forgotten with it.
  if (action === 'erase') return { stored, action, domain: record.meta.domain };
  const parent = await getParent(session, kind, command);
  if (parent) assertUnder(kind, record.data, parent);
  const domain = domainOfRecord(kind, record.meta.domain, parent);
  return { stored: parent ? { ...stored, parent } : stored, action, domain };
}

async function findInForce(session: Session, kind: Kind, command: Command): Promise<Latest> {
  const stored = await getRecord(session, kind, command);
  const domain = domainOfRecord(kind, stored.record.meta.domain, stored.parent);
  return { stored, action: stored.change === 1 ? 'create' : 'update', domain };
}

/** Reads the key of a version; undefined for a kind that does not sign. */
export function keyReaderOf({ links }: Kind): ((body: string) => string | undefined) | undefined {
  return links.isKey ? (body) => links.value?.((readJson(body) as RecordEnvelope).data) : undefined;
}

function invalidErasure(detail: string): LedgerError {
  return new LedgerError('record.invalid', detail);
}

/** The operation `erase`. */
export const eraseRecord: Operation = {
  name: 'erase',
  isOf: ({ lifecycle }) => lifecycle.erasable !== undefined,
  routes: () => [{ method: 'POST', of: 'record', path: '/erase' }],
  perform: erase,
  refusals: { always: [...SIGNED, 'record.not-found'] },
  description: {
    id: (one) => `erase${one}`,
    summary: (one) => `Forget the texts of ${one}, for good`,
    body: () => 'erasure',
    components: { requests: { erasure: erasureBodySchema } },
    answers: () => ({ 200: { text: 'The change that says so.', component: 'erasure-record' } }),
  },
};
