import {
  isLuid,
  isObject,
  type RecordEnvelope,
  readJson,
  type StoredProof,
  type Suite,
  verifyProof,
} from '@countersign/protocol';
import { isHashed } from '../kinds/hashed-forms.js';
import type { Kind } from '../kinds/kind.js';

/** The defect of a version, in words for the operator, free of its content. */
export type Defect =
  | 'is not the text that was stored'
  | 'is not a record'
  | 'names another record'
  | 'has another hash than its data'
  | 'has no proof of its ledger'
  | 'is not what the index says';

/** A stored text as a record; undefined when it is malformed. */
export function parseRecord(body: string): RecordEnvelope | undefined {
  try {
    const record = readJson(body) as Partial<RecordEnvelope> | null;
    const isRecord = isObject(record?.data) && typeof record.hash === 'string' && Array.isArray(record.meta?.proofs);
    return isRecord ? (record as RecordEnvelope) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the data of a version is found under `key`. A look at the text where the data of most kinds begin mostly
 * spares parsing it.
 *
 * @param body a text that is as it was stored
 */
export function isUnder(kind: Kind, body: string, key: string): boolean {
  if (!kind.links.key && HANDLE_OFFSETS.some((at) => body.startsWith(`"handle":${JSON.stringify(key)}`, at)))
    return true;
  const data = parseRecord(body)?.data;
  return data !== undefined && (kind.links.key?.(data) ?? String(data.handle)) === key;
}

/** The offset of `handle` when it is the first member of `data`, and when `parent` (64 characters) precedes it. */
const HANDLE_OFFSETS = ['', `"parent":"${'0'.repeat(64)}",`].map(
  (parent) => `{"hash":"${'0'.repeat(64)}","data":{${parent}`.length,
);

/**
 * Verifies a version by itself: that it is the record it was found as, that its hash is that of its data, and that the
 * ledger has signed that hash for this record (interface/envelope#record). Status, owners, labels, domain and moment
 * are outside the hash.
 *
 * @param found the luid it was found under
 * @param system public key of the ledger's `system` signer
 * @returns the defect; undefined when the version is valid
 */
export function defectOf(kind: Kind, found: string, body: string, system: string, suite: Suite): Defect | undefined {
  const record = parseRecord(body);
  if (!record) return 'is not a record';
  const { hash, luid, meta } = record;
  if (luid !== found || !isLuid(luid, kind.prefix)) return 'names another record';
  if (!isHashed(kind, record, suite)) return 'has another hash than its data';
  return meta.proofs.some((proof) => isProofOfLedger(proof, hash, luid, system, suite))
    ? undefined
    : 'has no proof of its ledger';
}

/** Of the proofs by `system`, the one that names the record signs its hash; that of a drop signs another. */
function isProofOfLedger(proof: StoredProof, hash: string, luid: string, system: string, suite: Suite): boolean {
  return proof?.public === system && proof.custom?.luid === luid && verifyProof(hash, proof, suite);
}
