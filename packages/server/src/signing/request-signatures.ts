import { decodeBase64, PROOF_METHOD, type Suite } from '@countersign/protocol';
import { gather, type Watch } from '../base/gather.js';
import { createWeightedSemaphore } from '../base/weighted-semaphore.js';
import type { UnsignedProof } from '../keys/signing-key.js';
import { DIGEST_BYTES, PUBLIC_BYTES, SIGNATURE_BYTES } from './messages.js';
import { signatureLimits } from './signature-limits.js';
import type { SignatureCheck, Signing } from './signing.js';

/** What identifies a signature that a client has sent: base64, but for the digest, which is hex. */
interface SentSignature {
  readonly method?: string;
  readonly public?: string;
  readonly digest?: string;
  readonly result?: string;
}

/**
 * Signatures of requests that come together, made and verified many at a time (decision 0026). A ledger that asks for many has
 * its later requests wait, so that those of others are in the next message.
 */
export type RequestSignatures = ReturnType<typeof createRequestSignatures>;

/** @param batched told of each run over several requests, with what it did */
export function createRequestSignatures(
  signing: Signing,
  suite: Suite,
  batched?: (of: 'sign' | 'verify', ...run: Parameters<Watch>) => void,
) {
  const sign = gatherByLedger<UnsignedProof, void>(
    async (proofs) => {
      await signing.sign(proofs);
      return [];
    },
    (...run) => batched?.('sign', ...run),
  );
  const verify = gatherByLedger<SignatureCheck, boolean>(
    (checks) => signing.verify(checks),
    (...run) => batched?.('verify', ...run),
  );
  return {
    /**
     * Sets `result` of the proofs.
     *
     * @param ledger the id
     * @throws Overloaded when too many requests of the ledger wait
     */
    async sign(ledger: number, proofs: readonly UnsignedProof[]): Promise<void> {
      if (proofs.length > 0) await sign(ledger, proofs);
    },
    /**
     * Verifies signatures in advance. It does not check what was signed: the caller still compares the digest with the data.
     *
     * @param ledger the id
     * @param sent as many as a record may have
     * @returns a suite that knows of these signatures whether they hold, and verifies all others itself
     * @throws Overloaded when too many requests of the ledger wait
     */
    async verifyAhead(ledger: number, sent: readonly SentSignature[]): Promise<Suite> {
      const checks = sent.map(toCheck).filter((check) => check !== undefined);
      if (checks.length === 0) return suite;
      const holds = await verify(ledger, checks);
      return withKnown(suite, new Map(checks.map((check, at) => [keyOfCheck(check), holds[at]!])));
    },
  };
}

/** Has `run` answer for the items of many requests together. @returns asks for one request of a ledger */
function gatherByLedger<Item, Out>(
  run: (items: readonly Item[]) => Promise<readonly Out[]>,
  watch: Watch,
): (ledger: number, items: readonly Item[]) => Promise<readonly Out[]> {
  const { message: most, concurrency, ...bounds } = signatureLimits;
  const share = createWeightedSemaphore({ ...bounds, patience: Number.POSITIVE_INFINITY });
  const ask = gather(
    async (requests: readonly (readonly Item[])[]) => {
      const outs = await run(requests.flat());
      let at = 0;
      return requests.map(({ length }) => {
        at += length;
        return outs.slice(at - length, at);
      });
    },
    { most, batch: most, queue: bounds.process, concurrency, weigh: ({ length }) => length },
    watch,
  );
  return (ledger, items) => share(ledger, items.length, () => ask(items));
}

/** A suite that knows whether some signatures hold, by all their bytes. */
function withKnown(suite: Suite, known: ReadonlyMap<string, boolean>): Suite {
  return {
    ...suite,
    verify: (signature, digest, key) =>
      known.get(keyOfCheck({ signature, digest, key })) ?? suite.verify(signature, digest, key),
  };
}

/** All bytes of a check, as a text. Those that are known have fixed lengths, so no two have the same. */
function keyOfCheck({ signature, digest, key }: SignatureCheck): string {
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
