import { decodeBase64, PROOF_METHOD, type Suite } from '@countersign/protocol';
import { gather, Overloaded, type Watch } from '../base/gather.js';
import type { UnsignedProof } from '../keys/signing-key.js';
import { limits } from '../limits.js';
import { type SignatureCheck, type Signing, signHere } from './signing.js';
import { DIGEST_BYTES, PUBLIC_BYTES, SIGNATURE_BYTES } from './tasks.js';

/** What identifies a signature that a client has sent: base64, but for the digest, which is hex. */
interface SentSignature {
  readonly method?: string | undefined;
  readonly public?: string | undefined;
  readonly digest?: string | undefined;
  readonly result?: string | undefined;
}

/**
 * Signatures of requests that come together, made and verified many at a time: alone each would be too few for the thread
 * (decision 0037). Where a ledger has many requests waiting, its next ones are handled on the main thread, so that others
 * keep their places.
 */
export interface RequestSignatures {
  /** Sets `result` of the proofs. @param ledger the id */
  sign(ledger: number, proofs: readonly UnsignedProof[]): Promise<void>;
  /**
   * Verifies signatures in advance. It does not check what was signed: the caller still compares the digest with the data.
   *
   * @param ledger the id
   * @returns a suite that knows of these signatures whether they hold, and verifies all others itself
   */
  verifyAhead(ledger: number, sent: readonly SentSignature[]): Promise<Suite>;
}

/** @param batched told of each run over several requests, with what it did */
export function createRequestSignatures(
  signing: Signing,
  suite: Suite,
  batched?: (of: 'sign' | 'verify', ...run: Parameters<Watch>) => void,
): RequestSignatures {
  const watch =
    (of: 'sign' | 'verify'): Watch =>
    (size, waited) =>
      batched?.(of, size, waited);
  const sign = gatherByLedger<UnsignedProof, true>(async (proofs) => {
    await signing.sign(proofs);
    return proofs.map(() => true);
  }, watch('sign'));
  const verify = gatherByLedger<SignatureCheck, boolean>((checks) => signing.verify(checks), watch('verify'));
  return {
    async sign(ledger, proofs) {
      // What fails for another request is no failure of this one.
      const isSigned = await sign(ledger, proofs).catch(() => undefined);
      if (!isSigned) for (const one of proofs) signHere(one, suite);
    },
    async verifyAhead(ledger, sent) {
      // A request with many would have all others wait.
      if (sent.length > limits.signatures.ahead) return suite;
      const checks = sent.map(toCheck).filter((check) => check !== undefined);
      const holds = checks.length === 0 ? undefined : await verify(ledger, checks);
      return holds ? withKnown(suite, new Map(checks.map((check, at) => [nameOf(check), holds[at]!]))) : suite;
    },
  };
}

/**
 * Has `run` answer for the items of many requests together.
 *
 * @returns asks for one request of a ledger; undefined where too many wait
 */
function gatherByLedger<Item, Out>(
  run: (items: readonly Item[]) => Promise<readonly Out[]>,
  watch: Watch,
): (ledger: number, items: readonly Item[]) => Promise<readonly Out[] | undefined> {
  const { ahead: _, perLedger, ...bounds } = limits.signatures;
  const ask = gather(
    async (asked: readonly (readonly Item[])[]) => {
      const outs = await run(asked.flat());
      let at = 0;
      return asked.map(({ length }) => {
        at += length;
        return outs.slice(at - length, at);
      });
    },
    { ...bounds, weigh: ({ length }) => length },
    watch,
  );
  const waiting = new Map<number, number>();
  return async (ledger, items) => {
    const before = waiting.get(ledger) ?? 0;
    if (before >= perLedger) return undefined;
    waiting.set(ledger, before + 1);
    try {
      return await ask(items);
    } catch (error) {
      if (error instanceof Overloaded) return undefined;
      throw error;
    } finally {
      const left = waiting.get(ledger)! - 1;
      if (left > 0) waiting.set(ledger, left);
      else waiting.delete(ledger);
    }
  };
}

/** A suite that knows whether some signatures hold, by all their bytes. */
function withKnown(suite: Suite, known: ReadonlyMap<string, boolean>): Suite {
  return {
    ...suite,
    verify: (signature, digest, key) =>
      known.get(nameOf({ signature, digest, key })) ?? suite.verify(signature, digest, key),
  };
}

/** All bytes of a check, as a text. Those that are known have fixed lengths, so no two have the same. */
function nameOf({ signature, digest, key }: SignatureCheck): string {
  return Buffer.concat([signature, digest, key]).toString('latin1');
}

/** Undefined for what has not the form of a signature: no suite is asked about it. */
function toCheck({ method, public: sentKey, digest: sentDigest, result }: SentSignature): SignatureCheck | undefined {
  const signature = decodeExactly(result, SIGNATURE_BYTES);
  const key = decodeExactly(sentKey, PUBLIC_BYTES);
  if (method !== PROOF_METHOD || !signature || !key || sentDigest?.length !== 2 * DIGEST_BYTES) return undefined;
  const digest = Buffer.from(sentDigest, 'hex');
  return digest.length === DIGEST_BYTES ? { signature, digest, key } : undefined;
}

function decodeExactly(text: string | undefined, length: number): Uint8Array | undefined {
  // The length first, so that a long text is cheap to refuse.
  if (text?.length !== Math.ceil(length / 3) * 4) return undefined;
  const bytes = decodeBase64(text);
  return bytes?.length === length ? bytes : undefined;
}
