import { decodeBase64, type Suite } from '@countersign/protocol';
import { gather, Overloaded } from '../base/gather.js';
import { limits } from '../limits.js';
import type { Claim, Signing, Unsigned } from './signing.js';
import { DIGEST_BYTES, PUBLIC_BYTES, SIGNATURE_BYTES } from './signing-worker.js';

/** What identifies a signature that a client has sent: base64, but for the digest, which is hex. */
interface SentSignature {
  readonly public?: string | undefined;
  readonly digest?: string | undefined;
  readonly result?: string | undefined;
}

/**
 * Signatures of requests that come together, made and verified many at a time: alone each would be too few for the thread
 * (decision 0037). Ledgers take turns.
 */
export interface RequestSignatures {
  /** Sets `result` of the proofs. @param ledger the id */
  sign(ledger: number, proofs: readonly Unsigned[]): Promise<void>;
  /**
   * Verifies signatures before they are asked about. It says nothing of what was signed: who uses the suite still compares
   * the digest with the data.
   *
   * @param ledger the id
   * @returns a suite that knows of these signatures whether they hold, and verifies all others itself
   */
  verifyAhead(ledger: number, sent: readonly SentSignature[]): Promise<Suite>;
}

interface Asked<Item> {
  readonly ledger: number;
  readonly items: readonly Item[];
}

export function createRequestSignatures(signing: Signing, suite: Suite): RequestSignatures {
  const { ahead, ...bounds } = limits.signatures;
  const apart = { apart: ({ ledger }: Asked<unknown>) => ledger, weigh: ({ items }: Asked<unknown>) => items.length };
  const sign = gather(
    async (asked: readonly Asked<Unsigned>[]) => {
      await signing.sign(asked.flatMap(({ items }) => items));
      return asked.map(() => true);
    },
    { ...bounds, ...apart },
  );
  const verify = gather(
    async (asked: readonly Asked<Claim>[]) => {
      const holds = await signing.verify(asked.flatMap(({ items }) => items));
      let at = 0;
      return asked.map(({ items }) => {
        at += items.length;
        return holds.slice(at - items.length, at);
      });
    },
    { ...bounds, ...apart },
  );
  return {
    async sign(ledger, proofs) {
      try {
        await sign({ ledger, items: proofs });
      } catch (error) {
        if (!(error instanceof Overloaded)) throw error;
        await signing.sign(proofs);
      }
    },
    async verifyAhead(ledger, sent) {
      const claims = sent.map(toClaim).filter((claim) => claim !== undefined);
      // One request with many is metered as it verifies them, and so are those that come on top of many others.
      if (claims.length === 0 || claims.length > ahead) return suite;
      try {
        const holds = await verify({ ledger, items: claims });
        return knowing(suite, new Map(claims.map((claim, at) => [nameOf(claim), holds[at]!])));
      } catch (error) {
        if (error instanceof Overloaded) return suite;
        throw error;
      }
    },
  };
}

/** A suite that knows whether some signatures hold, by all their bytes. */
function knowing(suite: Suite, known: ReadonlyMap<string, boolean>): Suite {
  return {
    ...suite,
    verify: (signature, digest, key) =>
      known.get(nameOf({ signature, digest, key })) ?? suite.verify(signature, digest, key),
  };
}

/** All bytes of a claim, as a text. The lengths are fixed, so no two claims have the same. */
function nameOf({ signature, digest, key }: Claim): string {
  return Buffer.concat([signature, digest, key]).toString('latin1');
}

/** Undefined for what has not the form of a signature: no suite is asked about it. */
function toClaim({ public: sentKey, digest: sentDigest, result }: SentSignature): Claim | undefined {
  const signature = decodeExactly(result, SIGNATURE_BYTES);
  const key = decodeExactly(sentKey, PUBLIC_BYTES);
  if (!signature || !key || sentDigest?.length !== 2 * DIGEST_BYTES) return undefined;
  const digest = Buffer.from(sentDigest, 'hex');
  return digest.length === DIGEST_BYTES ? { signature, digest, key } : undefined;
}

function decodeExactly(text: string | undefined, length: number): Uint8Array | undefined {
  // The length first, so that a long text is cheap to refuse.
  if (text?.length !== Math.ceil(length / 3) * 4) return undefined;
  const bytes = decodeBase64(text);
  return bytes?.length === length ? bytes : undefined;
}
