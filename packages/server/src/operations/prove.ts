import {
  isObject,
  type Json,
  type JsonObject,
  type Meta,
  type RecordEnvelope,
  type StoredProof,
} from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Token } from '../auth/token.js';
import { moment } from '../base/clock.js';
import type { Forwarding } from '../forwarding/call.js';
import { forwardProof, proxiedProof } from '../forwarding/sign.js';
import { targetOf } from '../forwarding/target.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import { isOwn, type Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../ledgers/service.js';
import { commit, type Decided, onCurrent } from '../ledgers/attempt.js';
import { authorize } from '../authorization/authorize.js';
import { bodyChecksOf } from './bodies.js';
import { writer } from '../authorization/caller.js';
import { subjectOf } from '../authorization/context.js';
import { assertGrowthFits } from '../records/kind-rules.js';
import { changedLabels } from '../records/labels.js';
import { assertMayClose } from '../authorization/last-policy.js';
import { assertMeant } from '../records/meant.js';
import {
  isSameProof,
  isSigned,
  storedProof,
  tooManyProofs,
  unsigned,
  usesOf,
  type VerifiedProof,
  verifiedProof,
} from '../records/proofs.js';
import { type Answer, authenticate, type Request, readBody } from './request.js';
import { statusAfter } from '../authorization/status.js';
import { assertNotReserved, foundRecord } from '../records/stored.js';
import { impersonationProof } from '../authorization/trail.js';
import { assertUnused } from './unused.js';
import { versionOf } from '../records/version.js';

/**
 * `POST /{kind}s/{id}/proofs` (contract 01 §7): a flat proof over the record's current hash, which may change its
 * status, its labels, or only say something. The ledger does not countersign it. Answers 200 with the record, unchanged
 * when it has this very proof already.
 */
export async function prove(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const body = readBody(request);
  const token = await authenticate(service, ledger, request, body);
  const sent = isLeftToToken(body, token) ? bodyChecksOf(kind).partialProof(body) : bodyChecksOf(kind).proof(body);
  const forwarding: Forwarding = { kind, request, asked: {} };
  return onCurrent(service, ledger, async (current) => {
    const found = await foundRecord(service, current, kind, request);
    const target = targetOf(service.task, current, forwarding, 'sign', found);
    if (target?.proxied) return proxiedProof(service, current, forwarding, target, sent, token);
    if (!found) throw notFound(kind);
    const { record, change, body: served, parent } = found;
    const subject = subjectOf(kind, record, parent);
    const proof = isSigned(sent) ? verifiedProof(service, record.hash, sent) : undefined;
    assertMeant(current, kind, [sent.custom]);
    const caller = await writer(service, current, proof ? [proof] : [], token);
    const signs = proof !== undefined && !isOwn(current, proof.public);
    if (!signs && !caller.token?.key?.signer && token?.kind !== 'oauth2-token') throw unsigned();
    await authorize(service, current, caller, { action: 'prove', kind, subject });
    assertNotReserved(kind, record);
    if (proof && isThere(record, proof)) return { status: 200, body: served };
    if (proof && !signs) throw unsigned();
    const stored = proof
      ? storedProof(proof, caller.proofs[0], kind.trail?.origin ?? true)
      : await tokenProof(service, current, record.hash, sent.custom ?? {}, caller, token);
    const asked = sent.custom?.status;
    const status = await statusAfter(service, current, kind, record, subject, stored, asked);
    if (status === 'repeat') return { status: 200, body: served };
    const handle = String(record.data.handle);
    await assertMayClose(service, current, kind, caller, { handle, status: status.becomes ?? '' });
    if (record.meta.proofs.length >= limits.proofs) throw tooManyProofs();
    assertGrowthFits(kind, current, subject.meta.domain, JSON.stringify(stored).length);
    await service.task.turn();
    const uses = usesOf(service, { signed: proof ? [proof] : [] });
    if (target && proof) await assertUnused(service, current, { proofs: { signed: [proof] } }, record.luid);
    const added = target ? await forwardProof(service, current, forwarding, target, record, stored) : [];
    const proved = withProof(service, kind, record, sent.custom ?? {}, [stored, ...added], status.becomes);
    await service.task.turn();
    const write = { ...proofWrite(kind, current, proved, change + 1), proofs: uses };
    await commit(service, current, write);
    return { status: 200, body: write.body };
  });
}

/**
 * Whether the record has this very proof. Whoever reads a record could send one of its proofs again, and so undo what
 * its signer has changed since; and a client that lost the answer may (contract 00, Retry safety).
 */
function isThere({ meta }: RecordEnvelope, proof: VerifiedProof): boolean {
  return meta.proofs.some((one) => isSameProof(one, proof));
}

/** A proof without any of the signing members, which `system.auth` signs for the caller (contract 03 §4.4). */
function isLeftToToken(body: Json | undefined, token: Token | undefined): boolean {
  return token !== undefined && isObject(body) && !isSigned(body);
}

/** The proof by `system.auth` that stands for one the caller left unsigned: it says what that one said. */
async function tokenProof(
  service: Service,
  ledger: Ledger,
  hash: string,
  custom: JsonObject,
  caller: Caller,
  token: Token | undefined,
): Promise<StoredProof> {
  const said = { ...custom, moment: moment(service.nature) };
  const proof = await impersonationProof(service, ledger, hash, said, caller, token);
  if (!proof) throw unsigned();
  return proof;
}

function withProof(
  service: Service,
  kind: Kind,
  record: RecordEnvelope,
  custom: JsonObject,
  added: readonly StoredProof[],
  status: string | undefined,
): RecordEnvelope {
  const { assets, proofs, status: previous, moment: made, owners, labels: had, domain, ...others } = record.meta;
  const labels = changedLabels(had, custom.labels);
  const set = kind.proved?.(custom, { from: previous, to: status }) ?? {};
  const meta: Meta = {
    ...(assets === undefined ? {} : { assets }),
    ...set,
    proofs: [...proofs, ...added],
    ...(status === undefined ? {} : { status }),
    ...others,
    moment: kind.fixedMoment ? made : moment(service.nature),
    owners,
    ...(labels === undefined ? {} : { labels }),
    ...(domain === undefined ? {} : { domain }),
  };
  return { ...record, meta };
}

function proofWrite(kind: Kind, ledger: Ledger, record: RecordEnvelope, change: number): Omit<Decided, 'proofs'> {
  return {
    ...versionOf(ledger, kind, record, change),
    action: 'update',
    needs: [],
    decides: kind.decides !== 'never',
  };
}
