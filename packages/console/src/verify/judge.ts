import type { Signed } from '@countersign/client';
import {
  canonical,
  decodeBase64,
  decodeHex,
  isObject,
  type Json,
  PROOF_METHOD,
  portable,
  type RecordEnvelope,
  type StoredProof,
} from '@countersign/protocol';
import { judgeStatus, type StatusVerdict } from '@countersign/verifier/status';

/** What was found of one proof. */
export interface ProofVerdict {
  readonly proof: StoredProof;
  /** Whether the ledger's own key made it, about this record. */
  readonly isByLedger: boolean;
  /** What is hashed for the digest: the hash of the data, and the canonical `custom`. */
  readonly digestText: string;
  /** As computed here. */
  readonly digest: string;
  readonly isDigest: boolean;
  readonly isSignature: boolean;
}

/** What was found of a record, each step computed here. */
export interface Verdict {
  /** The canonical JSON of the data that is hashed. */
  readonly canonical: string;
  /** As computed here. */
  readonly hash: string;
  readonly isHash: boolean;
  readonly proofs: readonly ProofVerdict[];
  /** The last proof of the ledger itself about this record. */
  readonly countersignature: ProofVerdict | undefined;
  /** How `meta.status`, which nothing signs, stands to the proofs; open where these do not hold. */
  readonly status: StatusVerdict;
  readonly isFine: boolean;
}

/**
 * Judges a record by its own bytes, as interface/envelope and interface/proofs have it. Nothing that the server says of itself
 * counts: only `systemKey`, which this browser has seen before.
 */
export function judge(record: Signed, systemKey: string | undefined): Verdict {
  const { data, meta, luid } = record;
  const said = String(record.hash).toLowerCase();
  const text = hashedText(record);
  const hash = portable.sha256(text);
  const isDrop = meta.action === 'drop';
  // The trail of a dropped record ends with proofs over what the drop signs.
  const hashes = isDrop ? [said, portable.sha256(canonical({ parent: record.hash }))] : [said];
  const given: readonly StoredProof[] = Array.isArray(meta.proofs)
    ? meta.proofs.filter((one) => isObject(one as Json))
    : [];
  const proofs = given.map((proof) => judgeProof(proof, hashes, { luid, systemKey }));
  const countersignature = proofs.findLast((one) => one.isByLedger && isWhole(one));
  const isHash = hash === said && isObject(data as Json);
  const isSound = isHash && countersignature !== undefined && proofs.every(isWhole);
  const status = isSound ? statusOf(record, systemKey) : 'open';
  return {
    canonical: text,
    hash,
    isHash,
    proofs,
    countersignature,
    status,
    isFine: isSound && status !== 'false',
  };
}

/** How the status of a record whose proofs were verified stands to them. */
export function statusOf(record: Signed, systemKey: string | undefined): StatusVerdict {
  return judgeStatus(record as unknown as RecordEnvelope, systemKey);
}

export function isWhole({ isDigest, isSignature }: ProofVerdict): boolean {
  return isDigest && isSignature;
}

/** The text that was hashed: the data, or without the domain of a subdomain, which the ledger adds (interface/hashes). */
function hashedText({ data, hash, luid, meta }: Signed): string {
  const text = canonical(data as Json);
  const { domain, ...others } = data;
  const isSubdomain = String(luid).startsWith('$dom.') && domain !== undefined && domain === meta.domain;
  if (!isSubdomain || portable.sha256(text) === hash) return text;
  const without = canonical(others as Json);
  return portable.sha256(without) === hash ? without : text;
}

function judgeProof(
  proof: StoredProof,
  hashes: readonly string[],
  ledger: { readonly luid: string; readonly systemKey: string | undefined },
): ProofVerdict {
  const custom = proof.custom === undefined ? '' : canonical(proof.custom);
  const said = String(proof.digest).toLowerCase();
  const texts = hashes.map((hash) => hash + custom);
  const digestText = texts.find((text) => portable.sha256(text) === said) ?? (texts[0] as string);
  const digest = portable.sha256(digestText);
  const signature = decodeBase64(String(proof.result));
  const key = decodeBase64(String(proof.public));
  const bytes = decodeHex(said);
  const isSignature =
    proof.method === PROOF_METHOD && !!signature && !!key && !!bytes && portable.verify(signature, bytes, key);
  const isByLedger = proof.public === ledger.systemKey && proof.custom?.luid === ledger.luid;
  return { proof, isByLedger, digestText, digest, isDigest: digest === said, isSignature };
}
