import { type MessagePort, parentPort } from 'node:worker_threads';
import { crypto_sign_detached, crypto_sign_verify_detached } from 'sodium-native';

/** Digests to sign, one after the other. */
export interface SigningTask {
  readonly digests: Uint8Array;
  /** For each digest, the index of the key that signs it. */
  readonly by: readonly number[];
  /** Seed and public key, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
}

/** Signatures to verify: of each the signature, the digest and the public key, one after the other. */
export interface VerifyingTask {
  readonly checks: Uint8Array;
}

/** What the thread is told. */
export interface ThreadMessage {
  /** Names the message in its answer. */
  readonly number: number;
  readonly task: SigningTask | VerifyingTask;
}

/** The answer to a message: messages are answered in the order in which they come. */
export interface ThreadAnswer {
  readonly number: number;
  /** Of a signing task 64 bytes for each digest; of a verifying task one for each check, 1 where the signature holds. */
  readonly bytes: Uint8Array;
}

export const DIGEST_BYTES = 32;
export const SIGNATURE_BYTES = 64;
export const PUBLIC_BYTES = 32;
export const CHECK_BYTES = SIGNATURE_BYTES + DIGEST_BYTES + PUBLIC_BYTES;

if (parentPort) serve(parentPort);

/** The thread that `signing.ts` starts. */
function serve(port: MessagePort): void {
  port.on('message', ({ number, task }: ThreadMessage) => {
    const bytes = 'checks' in task ? verifyAll(task) : signAll(task);
    port.postMessage({ number, bytes } satisfies ThreadAnswer, [bytes.buffer]);
  });
  port.postMessage('ready');
}

function signAll({ digests, by, keys }: SigningTask): Uint8Array<ArrayBuffer> {
  const signatures = new Uint8Array(by.length * SIGNATURE_BYTES);
  for (const [at, key] of by.entries()) {
    const signature = signatures.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
    const digest = digests.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES);
    crypto_sign_detached(signature as Buffer, digest as Buffer, keys[key] as Buffer);
  }
  return signatures;
}

function verifyAll({ checks }: VerifyingTask): Uint8Array<ArrayBuffer> {
  const holds = new Uint8Array(checks.length / CHECK_BYTES);
  for (const at of holds.keys()) {
    const check = checks.subarray(at * CHECK_BYTES, (at + 1) * CHECK_BYTES);
    const signature = check.subarray(0, SIGNATURE_BYTES);
    const digest = check.subarray(SIGNATURE_BYTES, SIGNATURE_BYTES + DIGEST_BYTES);
    const key = check.subarray(SIGNATURE_BYTES + DIGEST_BYTES);
    holds[at] = Number(crypto_sign_verify_detached(signature as Buffer, digest as Buffer, key as Buffer));
  }
  return holds;
}
