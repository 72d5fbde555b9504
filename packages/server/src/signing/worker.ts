// First: what is loaded later may keep the function that reads JSON.
import '@countersign/protocol/replace-json-parse';

import { parentPort, workerData } from 'node:worker_threads';
import { readJson } from '@countersign/protocol';
import { crypto_sign_detached, crypto_sign_verify_detached } from 'sodium-native';
import { createMacUnder } from '../integrity/mac.js';
import {
  DIGEST_BYTES,
  PUBLIC_BYTES,
  SECRET_KEY_BYTES,
  type SerializationTask,
  SIGNATURE_BYTES,
  type ThreadAnswer,
  type ThreadData,
  type ThreadMessage,
  type ThreadTask,
  type WithoutBegin,
} from './messages.js';
import { type SerializedVersions, serializeVersions } from './serialization.js';

// The program of the thread that `thread.ts` starts.
const port = parentPort!;
const mac = createMacUnder(Buffer.from((workerData as ThreadData).versionKey));
port.on('message', ({ number, task }: ThreadMessage) => {
  try {
    postAnswer({ number, result: run(task) });
  } catch (error) {
    postAnswer({ number, error: asError(error) });
  }
});
port.on('messageerror', (error) => {
  throw error;
});
postAnswer({ number: 0 });

function postAnswer(message: ThreadAnswer): void {
  port.postMessage(message);
}

function run(task: ThreadTask) {
  if (task.type === 'sign') return signAll(task.parts);
  return task.type === 'verify' ? verifyAll(task.parts) : serializeAll(task);
}

function serializeAll(task: SerializationTask): (SerializedVersions | Error)[] {
  const { ledger, kind, signers, keys, records, random } = task;
  const signature = Buffer.alloc(SIGNATURE_BYTES);
  let drawn = 0;
  const deps = {
    ledger,
    kind,
    signers,
    mac,
    sign(signer: number, digest: string) {
      crypto_sign_detached(signature, Buffer.from(digest, 'hex'), keys[signer] as Buffer);
      return signature.toString('base64');
    },
    random(bytes: number) {
      drawn += bytes;
      return random.subarray(drawn - bytes, drawn);
    },
  };
  return records.map(({ begin, rest }) => {
    try {
      // Adding `begin` to what a spread has copied takes V8 longer (decision 0026).
      return serializeVersions({ begin, ...(readJson(rest) as WithoutBegin) }, deps);
    } catch (error) {
      return asError(error);
    }
  });
}

function signAll(parts: Uint8Array): Uint8Array {
  const count = parts.length / (SECRET_KEY_BYTES + DIGEST_BYTES);
  const signatures = new Uint8Array(count * SIGNATURE_BYTES);
  const next = reader(parts);
  for (let at = 0; at < count; at += 1) {
    const [key, digest] = [next(SECRET_KEY_BYTES), next(DIGEST_BYTES)];
    crypto_sign_detached(signatures.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES) as Buffer, digest, key);
  }
  return signatures;
}

function verifyAll(parts: Uint8Array): Uint8Array {
  const holds = new Uint8Array(parts.length / (SIGNATURE_BYTES + DIGEST_BYTES + PUBLIC_BYTES));
  const next = reader(parts);
  for (const at of holds.keys()) {
    const [signature, digest, key] = [next(SIGNATURE_BYTES), next(DIGEST_BYTES), next(PUBLIC_BYTES)];
    holds[at] = Number(crypto_sign_verify_detached(signature, digest, key));
  }
  return holds;
}

/** Gives the bytes one part after the other. */
function reader(bytes: Uint8Array): (length: number) => Buffer {
  let at = 0;
  return (length) => {
    at += length;
    return bytes.subarray(at - length, at) as Buffer;
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
