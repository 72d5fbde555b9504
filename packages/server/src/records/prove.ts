import { LedgerError, type Meta, type RecordEnvelope, type StoredProof } from '@countersign/protocol';
import { moment } from '../clock.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../service.js';
import type { Write } from '../store/write.js';
import { commit, onCurrent } from './attempt.js';
import { authorize } from './authorize.js';
import { bodyChecksOf } from './bodies.js';
import { strangers, writer } from './caller.js';
import { subjectOf } from './context.js';
import { filterDocument } from './document.js';
import { changedLabels } from './labels.js';
import { storedProof, tooManyProofs, type VerifiedProof, verifiedProof } from './proofs.js';
import { type Answer, authenticate, type Request, readBody } from './request.js';
import { recordText } from './serve.js';
import { storedRecord } from './stored.js';

/**
 * `POST /{kind}s/{id}/proofs` (contract 01 §7): a flat proof over the record's current hash, which may change its
 * status, its labels, or only say something. The ledger does not countersign it. Answers 200 with the record.
 */
export async function prove(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const body = readBody(request);
  const token = await authenticate(service, ledger, request, body);
  const sent = bodyChecksOf(kind).proof(body);
  return onCurrent(service, ledger, async (current) => {
    const { record, change, body: served } = await storedRecord(service, current, kind, request);
    const proof = verifiedProof(service, record.hash, sent);
    const caller = await writer(service, current, [proof], token);
    authorize(service, current, caller, { action: 'prove', kind, subject: subjectOf(kind, record) });
    const status = statusAfter(kind, record.meta.status, sent.custom?.status);
    if (status === 'repeat') return { status: 200, body: served };
    if (record.meta.proofs.length >= limits.proofs) throw tooManyProofs();
    const stored = storedProof(proof, caller.proofs[0], kind.trail?.origin ?? true);
    const proved = withProof(service, kind, record, proof, stored, status.becomes);
    const write = proofWrite(kind, current, proved, change + 1, strangers(caller));
    await commit(service, current, write);
    return { status: 200, body: write.body };
  });
}

/**
 * What a proof asking for a status does (contract 01 §7, 05 §1.4).
 *
 * @returns the status the record has afterwards, or `repeat` when the proof is not to be stored
 * @throws `record.update-rejected` for a transition the kind refuses
 */
function statusAfter(
  kind: Kind,
  from: string | undefined,
  asked: string | null | undefined,
): 'repeat' | { becomes: string | undefined } {
  if (asked === undefined || kind.fixedStatus) return { becomes: from };
  if (asked === null) return { becomes: undefined };
  const outcome = kind.transition?.(from ?? '', asked) ?? 'moves';
  if (outcome === 'refused') {
    throw new LedgerError('record.update-rejected', `Proof contains invalid status change, from ${from} to ${asked}`);
  }
  return outcome === 'repeat' ? 'repeat' : { becomes: asked };
}

function withProof(
  service: Service,
  kind: Kind,
  record: RecordEnvelope,
  sent: VerifiedProof,
  stored: StoredProof,
  status: string | undefined,
): RecordEnvelope {
  const { assets, proofs, status: previous, moment: made, owners, labels: had, domain, ...others } = record.meta;
  const labels = changedLabels(had, sent.custom?.labels);
  const added = kind.proved?.(sent.custom ?? {}, { from: previous, to: status }) ?? {};
  const meta: Meta = {
    ...(assets === undefined ? {} : { assets }),
    ...added,
    proofs: [...proofs, stored],
    ...(status === undefined ? {} : { status }),
    ...others,
    moment: kind.fixedMoment ? made : moment(service.nature),
    owners,
    ...(labels === undefined ? {} : { labels }),
    ...(domain === undefined ? {} : { domain }),
  };
  return { ...record, meta };
}

function proofWrite(
  kind: Kind,
  ledger: Ledger,
  record: RecordEnvelope,
  change: number,
  unknown: readonly string[],
): Write {
  const { hash, data, luid, meta } = record;
  return {
    ledger: ledger.id,
    version: ledger.version,
    action: 'update',
    kind: kind.name,
    key: kind.key?.(data) ?? String(data.handle),
    luid,
    change,
    moment: meta.moment,
    hash,
    status: meta.status,
    domain: meta.domain,
    link: kind.link?.(data),
    document: filterDocument(kind, data, meta),
    body: recordText(record),
    strangers: unknown,
    needs: [],
    decides: kind.decides !== 'never',
  };
}
