// First: what is loaded later may keep the function that reads JSON.
import '@countersign/protocol/replace-json-parse';

import { hash } from 'node:crypto';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { readJson } from '@countersign/protocol';
import { crypto_sign_detached, crypto_sign_verify_detached } from 'sodium-native';
import { createMacUnder, type Mac } from '../integrity/mac.js';
import { assembleEach } from './assemble.js';
import {
  type AssemblyTask,
  CHECK_BYTES,
  DIGEST_BYTES,
  SIGNATURE_BYTES,
  type SigningTask,
  type ThreadAnswer,
  type ThreadData,
  type ThreadMessage,
  type VerifyingTask,
  type WithoutBegin,
} from './tasks.js';

if (parentPort) serve(parentPort, workerData as ThreadData);

/** Answers what it is told, in the thread that `thread.ts` starts. */
function serve(port: MessagePort, { versionKey }: ThreadData): void {
  const mac = createMacUnder(Buffer.from(versionKey));
  port.on('message', ({ number, task }: ThreadMessage) => {
    if ('records' in task) {
      port.postMessage({ number, records: assembleAll(task, mac) } satisfies ThreadAnswer);
      return;
    }
    const bytes = 'checks' in task ? verifyAll(task) : signAll(task);
    port.postMessage({ number, bytes } satisfies ThreadAnswer, [bytes.buffer]);
  });
  port.postMessage('ready');
}

function assembleAll({ ledger, kind, signers, keys, begins, records, random }: AssemblyTask, mac: Mac) {
  const signature = Buffer.alloc(SIGNATURE_BYTES);
  let drawn = 0;
  // Adding `begin` to what a spread has copied takes V8 longer (decision 0039).
  const all = (readJson(records) as WithoutBegin[]).map((one, at) => ({ begin: begins[at]!, ...one }));
  return assembleEach(all, {
    ledger,
    kind,
    signers,
    mac,
    sha256: (text) => hash('sha256', text),
    sign(signer, digest) {
      crypto_sign_detached(signature, Buffer.from(digest, 'hex'), keys[signer] as Buffer);
      return signature.toString('base64');
    },
    random(bytes) {
      drawn += bytes;
      if (drawn > random.length) throw new Error('The task has too few random bytes.');
      return random.subarray(drawn - bytes, drawn);
    },
  });
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
