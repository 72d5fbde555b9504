import { type MessagePort, parentPort } from 'node:worker_threads';
import { crypto_sign_detached } from 'sodium-native';

/** Digests to sign, one after the other. */
export interface SigningTask {
  /** 32 bytes each. */
  readonly digests: Uint8Array;
  /** For each digest, the index of the key that signs it. */
  readonly by: readonly number[];
  /** Seed and public key, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
}

/** The answer to a task: tasks are answered in the order in which they come. */
export interface SigningAnswer {
  /** 64 bytes for each digest. */
  readonly signatures: Uint8Array;
}

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 64;

if (parentPort) serve(parentPort);

/** The thread that `signing.ts` starts. */
function serve(port: MessagePort): void {
  port.on('message', ({ digests, by, keys }: SigningTask) => {
    const signatures = new Uint8Array(by.length * SIGNATURE_BYTES);
    for (const [at, key] of by.entries()) {
      const signature = signatures.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
      const digest = digests.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES);
      crypto_sign_detached(signature as Buffer, digest as Buffer, keys[key] as Buffer);
    }
    port.postMessage({ signatures } satisfies SigningAnswer, [signatures.buffer]);
  });
  port.postMessage('ready');
}
