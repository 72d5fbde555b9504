import { hash as hashOf, isObject, type Json, type JsonObject, PROOF_METHOD, signProof } from '@countersign/protocol';
import type { SigningKeyPair } from '../home/encrypted-key.js';
import { routeOf, type WritePurpose, type WriteRoute } from './route.js';

/** What the signer of a request needs to know and do. */
export interface SigningDeps {
  /** Without one, proofs are left to the token of the request (interface/tokens#token-only-writes). */
  readonly key: SigningKeyPair | undefined;
  /** The ledger that the request is for, as its header names it. */
  readonly ledger: string | undefined;
  /** Whether proofs name the ledger they are for. A record that two ledgers share is signed without. */
  readonly isBound: boolean;
  now(): number;
  /**
   * Reads the record that a route is about, as it is now, and verifies it: its hash is going to be signed.
   *
   * @throws what ends the request, when there is none or it does not verify
   */
  read(route: WriteRoute): Promise<{ readonly hash: string; readonly luid: string }>;
}

/**
 * Completes and signs the body of a request: fills what follows from the record (`luid`, `data.parent`), computes the
 * hash, and adds a proof.
 *
 * @param path below the base URL, without a query
 * @param body as the caller has sent it; undefined for none
 * @returns what goes out; the very body where it is complete, or nothing is signed
 */
export async function signRequest(
  method: string,
  path: string,
  body: Json | undefined,
  deps: SigningDeps,
): Promise<Json | undefined> {
  const route = routeOf(method, path);
  if (route === undefined || !(body === undefined || isObject(body))) return body;
  return route.purpose === 'proof' ? proof(route, body ?? {}, deps) : signEnvelope(route, body ?? {}, deps);
}

/** A flat proof over the record's hash. A body without `custom` and without members of a proof is the custom data. */
async function proof(route: WriteRoute, body: JsonObject, deps: SigningDeps): Promise<JsonObject> {
  if (typeof body.result === 'string') return body;
  const isPlain = !('custom' in body) && !('method' in body || 'public' in body || 'digest' in body);
  const given = isPlain ? body : isObject(body.custom) ? body.custom : {};
  const custom = { ...stamp(route, deps), ...given };
  if (deps.key === undefined) return { custom };
  const { hash } = await deps.read(route);
  return signProof({ hash, custom: dropUnbound(custom), ...deps.key });
}

/** Create, update, drop, and what is asked about a record: `{hash, data, meta: {proofs}}`. */
async function signEnvelope(route: WriteRoute, body: JsonObject, deps: SigningDeps): Promise<JsonObject> {
  if (typeof body.hash === 'string' && proofsOfBody(body).some((one) => isProofOf(one, deps.key))) return body;
  const { custom: beside, ...rest } = body;
  const filled = await fillVersion(route, rest, deps);
  // What lacks data is left to the server, whose refusal tells what is wrong.
  if (!isObject(filled.data)) return body;
  const hash = hashOf(filled.data);
  const sent = proofsOfBody(filled);
  const partial = sent.filter(isPartial).map((one) => (isObject(one.custom) ? one.custom : {}));
  const custom = dropUnbound(
    Object.assign(stamp(route, deps, filled.data), statusForPurpose(route), ...partial, isObject(beside) ? beside : {}),
  );
  const own: JsonObject = deps.key === undefined ? { custom } : signProof({ hash, custom, ...deps.key });
  const meta = isObject(filled.meta) ? filled.meta : {};
  return { ...filled, hash, meta: { ...meta, proofs: [...sent.filter((one) => !isPartial(one)), own] } };
}

/** Fills in which version of the record is meant, where the caller leaves that open. */
async function fillVersion(route: WriteRoute, body: JsonObject, deps: SigningDeps): Promise<JsonObject> {
  const { purpose } = route;
  if (purpose === 'question') return { ...body, data: body.data ?? {} };
  if (purpose === 'create' || purpose === 'erase') return body;
  const data = body.data === undefined && purpose === 'drop' ? {} : body.data;
  // A luid may be left out of an update, not of a drop (interface/records#drop).
  if (!isObject(data) || (typeof data.parent === 'string' && typeof body.luid === 'string')) return body;
  const { hash, luid } = await deps.read(route);
  return { ...body, luid: body.luid ?? luid, data: { ...data, parent: data.parent ?? hash } };
}

/** When it is signed, and what for. */
function stamp(route: WriteRoute, { ledger, isBound, now }: SigningDeps, data?: JsonObject): JsonObject {
  const named = route.isOutside ? data?.handle : (route.ledger ?? ledger);
  return {
    moment: new Date(now()).toISOString(),
    ...(isBound && typeof named === 'string' ? { ledger: named } : {}),
    ...(route.kind === undefined ? {} : { record: route.kind }),
  };
}

/** What the proof of a request says that it makes of the record. */
const STATUS_OF_PURPOSE: Partial<Record<WritePurpose, string>> = {
  create: 'created',
  drop: 'dropped',
  erase: 'erased',
};

function statusForPurpose({ purpose }: WriteRoute): JsonObject {
  const status = STATUS_OF_PURPOSE[purpose];
  return status === undefined ? {} : { status };
}

function proofsOfBody({ meta }: JsonObject): JsonObject[] {
  return isObject(meta) && Array.isArray(meta.proofs) ? meta.proofs.filter(isObject) : [];
}

function isProofOf(proof: JsonObject, key: SigningKeyPair | undefined): boolean {
  return key !== undefined && proof.public === key.public && typeof proof.result === 'string';
}

/** A proof that has no signature, only what is to be said with it. */
function isPartial(proof: JsonObject): boolean {
  return proof.result === undefined && proof.public === undefined && (proof.method ?? PROOF_METHOD) === PROOF_METHOD;
}

/** `ledger: null` and `record: null` leave these out: the caller wants a proof that is not bound. */
function dropUnbound(custom: JsonObject): JsonObject {
  const { ledger, record, ...rest } = custom;
  return { ...rest, ...(ledger == null ? {} : { ledger }), ...(record == null ? {} : { record }) };
}
