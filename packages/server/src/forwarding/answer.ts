import { setImmediate } from 'node:timers/promises';
import {
  hash as hashOf,
  isLuid,
  isObject,
  type Json,
  type JsonObject,
  LedgerError,
  type Proof,
  type StoredProof,
  verifyProof,
} from '@countersign/protocol';
import type { Service } from '../ledgers/service.js';
import { listLimits } from '../lists/list-limits.js';
import { type OutboundAnswer, OutboundFailure } from '../outbound/outbound.js';
import { outboundLimits } from '../outbound/outbound-limits.js';
import { parseBoundedAnswer } from '../outbound/parse-answer.js';
import { BridgeRefusal, invalidResponse, isErrorData, makeUnexpected } from './error.js';

/** A verified record from a bridge: its hash is that of its data, and every proof of it verifies. */
export interface BridgeRecord {
  readonly hash: string;
  readonly data: JsonObject;
  /** The bridge's own, if any. */
  readonly luid?: string;
  /** `meta` except `proofs`. */
  readonly meta: JsonObject;
  readonly proofs: readonly Proof[];
}

/**
 * The body of a successful answer, still unverified; undefined unless it is JSON.
 *
 * @throws BridgeRefusal for a signed error; `forward.unexpected-error` for 401, which concerns the ledger's token
 *   rather than the client's; `forward.invalid-response` for any other failure
 *   (interface/forwarding#what-is-checked-of-an-answer)
 */
export function successOf(service: Service, bridge: string, { status, text }: OutboundAnswer): Json | undefined {
  if (status === 401) {
    throw makeUnexpected(
      new OutboundFailure('unauthorized', `Bridge ${bridge} answered 401 to the token of the ledger`),
    );
  }
  const body = parseBoundedAnswer(text);
  if (status >= 200 && status < 300) return body;
  if (status >= 400 && status < 600) throw bridgeRefusalOf(service, status, body) ?? invalidResponse(bridge);
  throw invalidResponse(bridge);
}

/**
 * A record in a bridge's answer, verified.
 *
 * @throws `forward.invalid-response` for a malformed one; `crypto.hash-invalid`, `crypto.signature-invalid`
 */
export function parseBridgeRecord(service: Service, bridge: string, body: Json | undefined): BridgeRecord {
  if (!isObject(body) || !isObject(body.data) || body.hash === undefined) throw invalidResponse(bridge);
  return verifyBridgeProofs(service, itemIn(service, bridge, body));
}

/** A record from a bridge: its hash is that of its data, its proofs are still to be verified. */
export type UnverifiedRecord = Omit<BridgeRecord, 'proofs'> & { readonly proofs: readonly Json[] };

/**
 * The records of a list from a bridge. The list itself may be unsigned, since the ledger signs its own. Proofs are left
 * to `allVerified`, for those records that are shown: a bridge chooses how many it sends, and verifying a proof costs
 * the ledger more than sending it costs the bridge.
 *
 * @throws `forward.invalid-response` for a malformed or oversized list; `crypto.hash-invalid`
 */
export async function recordsIn(service: Service, bridge: string, body: Json | undefined): Promise<UnverifiedRecord[]> {
  if (!isObject(body) || !Array.isArray(body.data)) throw invalidResponse(bridge);
  if (body.data.length > listLimits.page.greatest || !body.data.every(isObject)) throw invalidResponse(bridge);
  const records: UnverifiedRecord[] = [];
  let proofs = 0;
  for (const item of body.data) {
    const record = itemIn(service, bridge, item as JsonObject);
    proofs += record.proofs.length;
    if (proofs > outboundLimits.proofs) throw invalidResponse(bridge);
    records.push(record);
    // Yields to other requests.
    await setImmediate();
  }
  return records;
}

/**
 * Those records with their proofs verified.
 *
 * @throws `crypto.signature-invalid` for a proof that does not verify
 */
export async function allVerified(service: Service, records: readonly UnverifiedRecord[]): Promise<BridgeRecord[]> {
  const all: BridgeRecord[] = [];
  for (const record of records) {
    all.push(verifyBridgeProofs(service, record));
    // Yields: a record of a hundred proofs takes some milliseconds.
    await setImmediate();
  }
  return all;
}

function verifyBridgeProofs(service: Service, record: UnverifiedRecord): BridgeRecord {
  return { ...record, proofs: record.proofs.map((proof) => verifyBridgeProof(service, record.hash, proof)) };
}

function itemIn(service: Service, bridge: string, { hash, data, luid, meta }: JsonObject): UnverifiedRecord {
  const hashed = isObject(data) ? hashOf(data, service.suite) : undefined;
  if (!isObject(data) || typeof hash !== 'string' || hash.toLowerCase() !== hashed) {
    throw new LedgerError('crypto.hash-invalid', `Invalid dto hash: ${formatExcerpt(hash)}`);
  }
  if (luid !== undefined && !(typeof luid === 'string' && isLuid(luid))) throw invalidResponse(bridge);
  if (!isObject(meta) || !Array.isArray(meta.proofs)) throw invalidResponse(bridge);
  const { proofs, ...others } = meta;
  if (proofs.length === 0 || proofs.length > service.recordProofs) throw invalidResponse(bridge);
  // Hex is lower case wherever it is served (interface/envelope#hash-and-digest).
  return { hash: hashed, data, luid, meta: others, proofs };
}

/** Whether a record is the one that was asked for: by its handle, or by the bridge's luid. */
export function isRecordNamed({ data, luid }: BridgeRecord, id: string): boolean {
  return data.handle === id || luid === id;
}

/**
 * The signed members of a proof. `signer` and `origin` are outside the signature, so the bridge's are dropped.
 *
 * @throws `crypto.signature-invalid` when it does not verify
 */
function verifyBridgeProof(service: Service, hash: string, proof: Json): Proof {
  if (!verifyProof(hash, proof as Proof, service.suite)) throw invalidSignature(proof);
  return toBareProof(proof as Proof);
}

/** @param proof shown in the detail, as by the reference service */
export function invalidSignature(proof: Json): LedgerError {
  return new LedgerError('crypto.signature-invalid', `Invalid dto signature: ${formatExcerpt(JSON.stringify(proof))}`);
}

/** A proof reduced to the members that its signer made. */
export function toBareProof({ method, public: key, digest, result, custom }: Proof): Proof {
  return { method, public: key, digest, result, custom };
}

/** Greatest number of characters of an answer that a detail repeats. */
const MAX_EXCERPT = 4_096;

function formatExcerpt(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : String(JSON.stringify(value));
  // A cut may split a surrogate pair; the half is dropped, since canonical JSON excludes lone surrogates.
  return text.slice(0, MAX_EXCERPT).replace(/\p{Surrogate}$/u, '');
}

/** A signed error whose hash and proofs verify; undefined for anything else. */
function bridgeRefusalOf(service: Service, status: number, body: Json | undefined): BridgeRefusal | undefined {
  if (!isObject(body) || !isErrorData(body.data) || !isObject(body.meta)) return undefined;
  const { hash, data, meta } = body;
  const { proofs } = meta;
  if (typeof hash !== 'string' || hash.toLowerCase() !== hashOf(data, service.suite)) return undefined;
  if (!Array.isArray(proofs) || proofs.length === 0 || proofs.length > service.recordProofs) return undefined;
  if (!proofs.every((proof) => verifyProof(hash, proof as StoredProof, service.suite))) return undefined;
  return new BridgeRefusal(
    status,
    hash.toLowerCase(),
    data,
    proofs.map((proof) => toBareProof(proof as Proof)),
  );
}
