import { LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import { moment } from '../base/clock.js';
import type { Forwarding } from '../forwarding/call.js';
import { forwardDrop } from '../forwarding/drop.js';
import { type Target, targetOf } from '../forwarding/target.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { commit, type Decided, onCurrent } from '../ledgers/attempt.js';
import { asked, authorize } from '../authorization/authorize.js';
import { bodyChecksOf, type SentDrop } from './bodies.js';
import { writer } from '../authorization/caller.js';
import { refusedByDependants } from '../records/dependants.js';
import { assertMayClose } from '../authorization/last-policy.js';
import { usesOf } from '../records/proofs.js';
import { repeatedDrop } from './repeated.js';
import { type Answer, authenticate, type Request, readBody } from './request.js';
import { hashedFor, signedBy } from './sent.js';
import { assertLuid, assertParentHash, foundRecord, type Stored } from '../records/stored.js';
import { assertSigned, clientTrail, type Signed } from '../authorization/trail.js';
import { assertUnused } from './unused.js';
import { versionOf } from '../records/version.js';

/**
 * `DELETE /{kind}s/{id}` and `POST /{kind}s/{id}/drop` (contract 01 §8): the record goes, its history stays readable by
 * luid. Answers 204.
 */
export async function drop(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const body = readBody(request);
  const token = await authenticate(service, ledger, request, body);
  const sent = bodyChecksOf(kind).drop(hashedFor(service, body, token));
  await service.task.turn();
  const signed = signedBy(service, ledger, kind, sent, token);
  const forwarding: Forwarding = { kind, request, asked: {} };
  return onCurrent(service, ledger, async (current) => {
    const stored = await foundRecord(service, current, kind, request);
    const target = targetOf(service.task, current, forwarding, 'drop', stored);
    if (target?.proxied) return proxiedDrop(service, current, forwarding, target, sent, signed);
    if (!stored && (await repeatedDrop(service, current, kind, request, sent.luid, signed))) return { status: 204 };
    if (!stored) throw notFound(kind);
    const caller = await writer(service, current, signed.proofs.signed, token);
    assertSigned(signed, caller);
    await authorize(service, current, caller, asked('drop', kind, stored));
    const handle = String(stored.record.data.handle);
    await assertMayClose(service, current, kind, caller, { handle });
    assertParentHash(stored.record, sent.data.parent);
    assertLuid(stored.record, sent.luid);
    const refused = await refusedByDependants(service, current, kind, handle);
    if (refused) throw new LedgerError('record.drop-rejected', refused.detail, refused.custom);
    if (target) {
      await assertUnused(service, current, signed, stored.record.luid);
      await forwardDrop(service, current, forwarding, target, sent, signed, caller);
    }
    const dropped = await droppedRecord(service, current, kind, stored.record, signed, caller);
    await service.task.turn();
    await commit(service, current, dropWrite(service, kind, current, dropped, stored, signed));
    return { status: 204 };
  });
}

/** A drop of a record that only a bridge keeps. */
async function proxiedDrop(
  service: Service,
  ledger: Ledger,
  forwarding: Forwarding,
  target: Target,
  sent: SentDrop,
  signed: Signed,
): Promise<Answer> {
  const caller = await writer(service, ledger, signed.proofs.signed, signed.token, false);
  assertSigned(signed, caller);
  await authorize(service, ledger, caller, { action: 'drop', kind: forwarding.kind, subject: target.subject });
  await forwardDrop(service, ledger, forwarding, target, sent, signed, caller);
  return { status: 204 };
}

/**
 * The last version: data and hash unchanged, with the proofs of the drop, the client's and the ledger's. Those are over
 * the hash of `{"parent": <hash of this version>}`, which anyone can compute from it (contract 01 §9, 05 §1.7).
 */
async function droppedRecord(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  record: RecordEnvelope,
  signed: Signed,
  caller: Caller,
): Promise<RecordEnvelope> {
  const now = moment(service.nature);
  return {
    ...record,
    meta: {
      ...record.meta,
      proofs: [
        ...record.meta.proofs,
        ...(await clientTrail(service, ledger, kind, signed, caller, now)),
        ledger.system.stored(signed.hash, { luid: record.luid, moment: now, status: 'dropped' }),
      ],
      status: 'dropped',
      moment: now,
    },
  };
}

function dropWrite(
  service: Service,
  kind: Kind,
  ledger: Ledger,
  record: RecordEnvelope,
  { change }: Stored,
  { proofs }: Signed,
): Decided {
  const handle = String(record.data.handle);
  const unless = kind.dependants?.map((dependants) => ({ kind: dependants.kind, link: handle }));
  return {
    // What has become too large to change can still go.
    ...versionOf(ledger, kind, record, change + 1, Number.POSITIVE_INFINITY),
    action: 'drop',
    needs: [],
    decides: kind.decides !== 'never',
    proofs: usesOf(service, proofs),
    ...(unless ? { unless } : {}),
  };
}
