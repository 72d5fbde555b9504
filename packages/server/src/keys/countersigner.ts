import {
  digest as digestOf,
  type JsonObject,
  LedgerError,
  PROOF_METHOD,
  type Proof,
  type StoredProof,
  type Suite,
  signProof,
  signWebhook,
  type WebhookHeaders,
} from '@countersign/protocol';
import type { ServerKey, UnsignedProof } from './signing-key.js';

/** A signer of the ledger's own whose key the server holds. */
export interface Countersigner {
  readonly handle: string;
  readonly public: string;
  /** A bare proof, free of the members that a served one adds. */
  sign(hash: string, custom?: JsonObject): Proof;
  /** A proof over a record's hash, as records keep it. */
  stored(hash: string, custom: JsonObject): StoredProof;
  /** A proof as `stored` makes it, to be signed later. */
  unsigned(hash: string, custom: JsonObject): UnsignedProof;
  /** The key itself, for proofs that are made elsewhere (signing/serialization.ts). */
  signingKey(): ServerKey;
  /** A proof over the hash of a list, an error or an item, made for one answer. */
  fresh(hash: string, custom: JsonObject): StoredProof;
  /** A bearer token in compact form (RFC 7515 §7.1), by which other services recognise a call of the ledger. */
  token(claims: JsonObject): string;
  /** The proofs of an answer that stands without them, too: a list, an error. Empty where the private key is missing. */
  vouch(hash: string, custom: JsonObject): StoredProof[];
  /**
   * The headers that sign one attempt of a delivery (interface/receiving-events#webhook-signature).
   *
   * @param id handle of the event, the same at every attempt and for all receivers
   * @param attempted the time of this attempt
   * @param body as it is sent
   * @throws TypeError unless `id` is the handle of an event
   */
  webhook(id: string, attempted: Date, body: string): WebhookHeaders;
}

/**
 * A signer of the ledger's own, ready to sign.
 *
 * @param key base64 public key and 32-byte secret seed
 */
export function countersigner(handle: string, key: ServerKey, suite: Suite): Countersigner {
  const sign = (hash: string, custom?: JsonObject): Proof =>
    signProof({ hash, ...(custom ? { custom } : {}), public: key.public, secret: key.secret }, suite);
  const signer = { handle, public: key.public };
  return {
    handle,
    public: key.public,
    sign,
    stored(hash, custom) {
      const { digest, result } = sign(hash, custom);
      return makeStoredProof(signer, { custom, digest, result });
    },
    unsigned(hash, custom) {
      const digest = digestOf(hash, custom, suite);
      return { proof: makeStoredProof(signer, { custom, digest, result: '' }), key };
    },
    signingKey: () => key,
    // An answer has the members in another order than a record (interface/proofs#proofs-as-served).
    fresh(hash, custom) {
      const { digest, method, result } = sign(hash, custom);
      return { method, public: key.public, digest, result, custom, origin: 'key-pair', signer: handle };
    },
    vouch(hash, custom) {
      return [this.fresh(hash, custom)];
    },
    token(claims) {
      const signed = [{ alg: 'EdDSA', kid: key.public }, claims].map(base64url).join('.');
      const signature = suite.sign(Buffer.from(signed), key.secret);
      return `${signed}.${Buffer.from(signature).toString('base64url')}`;
    },
    webhook(id, attempted, body) {
      const timestamp = Math.floor(attempted.getTime() / 1000);
      return signWebhook({ id, timestamp, body, secret: key.secret }, suite);
    },
  };
}

/** What a proof says, and its signature. */
type SignedContent = Required<Pick<Proof, 'custom' | 'digest' | 'result'>>;

/**
 * A proof of the ledger's own as records keep it (interface/proofs#proofs-as-served).
 *
 * @param isBare free of `origin` and `signer`
 */
export function makeStoredProof(
  signer: Pick<Countersigner, 'handle' | 'public'>,
  { custom, digest, result }: SignedContent,
  isBare = false,
): StoredProof {
  const method = PROOF_METHOD;
  if (isBare) return { custom, digest, method, public: signer.public, result };
  return { custom, digest, method, origin: 'key-pair', public: signer.public, result, signer: signer.handle };
}

/**
 * A signer of the ledger's own whose private key is missing: the ledger was imported without (export#import). It is read,
 * and nothing is signed.
 *
 * @throws `record.invalid` by each of its methods but `vouch`
 */
export function keylessSigner(handle: string, key: string): Countersigner {
  const refuse = (): never => {
    throw refuseKeyless();
  };
  return {
    handle,
    public: key,
    sign: refuse,
    stored: refuse,
    unsigned: refuse,
    signingKey: refuse,
    fresh: refuse,
    vouch: () => [],
    token: refuse,
    webhook: refuse,
  };
}

/** The refusal of whatever takes a signature of a ledger that has no private keys. */
export function refuseKeyless(): LedgerError {
  return new LedgerError(
    'record.invalid',
    'The ledger is read-only on this server: it was imported without its private keys.',
  );
}

function base64url(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
