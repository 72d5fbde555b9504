import { setImmediate as turn } from 'node:timers/promises';
import type { Suite } from '@countersign/protocol';
import { createMacUnder } from '../integrity/mac.js';
import type { SigningKey, UnsignedProof } from '../keys/signing-key.js';
import {
  type AssembledVersions,
  assembleEach,
  isAnswerTo,
  randomBytesFor,
  sizeOf,
  type UnsignedRecord,
} from './assemble.js';
import { type AssemblyTask, CHECK_BYTES, DIGEST_BYTES, SIGNATURE_BYTES, type WithoutBegin } from './tasks.js';
import { type Question, SigningThread, type ThreadOptions } from './thread.js';

/** A signature of a client's, to be verified. */
export interface SignatureCheck {
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** What was signed: 32 bytes. */
  readonly digest: Uint8Array;
  /** The public key: 32 bytes. */
  readonly key: Uint8Array;
}

/** Records of one ledger whose versions are to be assembled. */
export interface UnsignedRecords {
  readonly ledger: AssemblyTask['ledger'];
  readonly kind: AssemblyTask['kind'];
  /** Those that the proofs name by their index. */
  readonly signers: readonly (SigningKey & { readonly handle: string })[];
  readonly records: readonly UnsignedRecord[];
}

/**
 * Signs, verifies, and assembles versions: small tasks on the main thread, large ones in a worker thread (decision 0028). Calls
 * are answered in their order, except one whose message cannot be sent: the main thread answers it at once.
 */
export interface Signing {
  /** Sets `result` of the proofs. */
  sign(proofs: readonly UnsignedProof[]): Promise<void>;
  /** Whether each signature is the key's over the digest. */
  verify(checks: readonly SignatureCheck[]): Promise<readonly boolean[]>;
  /**
   * Signs the proofs that are added to records, and makes texts, codes and leaves of their versions (decision 0038).
   *
   * @returns for each record its versions, or the error that prevents them
   */
  assemble(unsigned: UnsignedRecords): Promise<readonly (AssembledVersions | Error)[]>;
  /** Ends the thread. Later calls do without it. */
  close(): Promise<void>;
}

export interface SigningOptions extends ThreadOptions {
  readonly suite: Suite;
  /** Draws the salts of leaves. */
  readonly random: (bytes: number) => Uint8Array;
}

/** Seed and public key. */
const SECRET_KEY_BYTES = 64;

/** Characters that the texts of one message to the thread have together, unless one record has more. */
const TOGETHER = 4 * 1024 * 1024;

/** Signing for one process. The thread is started by the first large task. */
export function createSigning(options: SigningOptions): Signing {
  const { suite, random } = options;
  const thread = new SigningThread(options);
  const mac = createMacUnder(Buffer.from(options.versionKey));
  const assembleHere = ({ ledger, kind, signers, records }: UnsignedRecords) =>
    assembleEach(records, {
      ledger,
      kind,
      signers,
      mac,
      random,
      sha256: suite.sha256,
      sign: (signer, digest) => toBase64(suite.sign(Buffer.from(digest, 'hex'), signers[signer]!.secret)),
    });
  const assembleGroup = async (unsigned: UnsignedRecords): Promise<(AssembledVersions | Error)[]> => {
    const { records } = unsigned;
    let assembled: readonly (AssembledVersions | string)[] = [];
    const proofs = records.reduce((sum, { added }) => sum + added.length, 0);
    await thread.ask(proofs, {
      message: () => toAssemblyTask(unsigned, random),
      take({ records: made }) {
        if (made?.length !== records.length || !records.every((one, at) => isAnswerTo(one, made[at]!))) return false;
        assembled = made;
        return true;
      },
      answerHere() {
        assembled = assembleHere(unsigned);
      },
    });
    return assembled.map((one) => (typeof one === 'string' ? new Error(one) : one));
  };
  return {
    async sign(proofs: readonly UnsignedProof[]): Promise<void> {
      await thread.ask(proofs.length, {
        message: () => toSigningTask(proofs),
        take: ({ bytes }) => bytes?.length === proofs.length * SIGNATURE_BYTES && setResults(proofs, bytes),
        answerHere: () => {
          for (const one of proofs) signHere(one, suite);
        },
      });
    },

    async verify(checks: readonly SignatureCheck[]): Promise<readonly boolean[]> {
      let holds: readonly boolean[] = [];
      await thread.ask(checks.length, {
        message: () => toVerifyingTask(checks),
        take({ bytes }) {
          if (bytes?.length !== checks.length) return false;
          holds = checks.map((_, at) => bytes[at] === 1);
          return true;
        },
        answerHere: () => {
          holds = checks.map(({ signature, digest, key }) => suite.verify(signature, digest, key));
        },
      });
      return holds;
    },

    async assemble({ records, ...others }: UnsignedRecords): Promise<readonly (AssembledVersions | Error)[]> {
      const assembled: (AssembledVersions | Error)[] = [];
      // Each message is sent once the one before is answered: what others ask for comes between, and other work here.
      for (const [at, group] of groupBySize(records).entries()) {
        if (at > 0) await turn();
        assembled.push(...(await assembleGroup({ ...others, records: group })));
      }
      return assembled;
    },

    close: () => thread.close(),
  };
}

/** The records in their order, in groups of at most `TOGETHER` characters. */
function groupBySize(records: readonly UnsignedRecord[]): UnsignedRecord[][] {
  const groups: UnsignedRecord[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const own = sizeOf(record);
    if (size + own > TOGETHER) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)!.push(record);
    size += own;
  }
  return groups;
}

/** Sets `result` of the proof. */
export function signHere({ proof, key }: UnsignedProof, suite: Suite): void {
  proof.result = toBase64(suite.sign(Buffer.from(proof.digest, 'hex'), key.secret));
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function setResults(proofs: readonly UnsignedProof[], signatures: Uint8Array): true {
  const bytes = Buffer.from(signatures.buffer, signatures.byteOffset, signatures.byteLength);
  for (const [at, { proof }] of proofs.entries()) {
    proof.result = bytes.toString('base64', at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
  }
  return true;
}

/** Each key once, and which of them signs which digest. */
function toSigningTask(proofs: readonly UnsignedProof[]): ReturnType<Question['message']> {
  const keys: SigningKey[] = [];
  const bytes = new ArrayBuffer(proofs.length * DIGEST_BYTES);
  const digests = Buffer.from(bytes);
  const by = proofs.map(({ proof, key }, at) => {
    digests.write(proof.digest, at * DIGEST_BYTES, 'hex');
    const known = keys.indexOf(key);
    return known < 0 ? keys.push(key) - 1 : known;
  });
  return { task: { digests, by, keys: keys.map(secretKeyOf) }, transferred: bytes };
}

function toVerifyingTask(checks: readonly SignatureCheck[]): ReturnType<Question['message']> {
  const bytes = new ArrayBuffer(checks.length * CHECK_BYTES);
  const all = new Uint8Array(bytes);
  for (const [at, { signature, digest, key }] of checks.entries()) {
    all.set(signature, at * CHECK_BYTES);
    all.set(digest, at * CHECK_BYTES + SIGNATURE_BYTES);
    all.set(key, at * CHECK_BYTES + SIGNATURE_BYTES + DIGEST_BYTES);
  }
  return { task: { checks: all }, transferred: bytes };
}

function toAssemblyTask(
  { ledger, kind, signers, records }: UnsignedRecords,
  draw: SigningOptions['random'],
): ReturnType<Question['message']> {
  const bytes = new ArrayBuffer(records.reduce((sum, record) => sum + randomBytesFor(record), 0));
  const random = new Uint8Array(bytes);
  random.set(draw(bytes.byteLength));
  const named = signers.map(({ handle, public: key }) => ({ handle, public: key }));
  const keys = signers.map(secretKeyOf);
  const begins = records.map(({ begin }) => begin);
  const others = records.map(({ begin: _, ...other }): WithoutBegin => other);
  return {
    task: { ledger, kind, signers: named, keys, begins, records: JSON.stringify(others), random },
    transferred: bytes,
  };
}

/** The seed followed by the public key: the form libsodium signs with. */
function secretKeyOf(key: SigningKey): Uint8Array {
  const bytes = new Uint8Array(SECRET_KEY_BYTES);
  bytes.set(key.secret);
  bytes.set(Buffer.from(key.public, 'base64'), key.secret.length);
  return bytes;
}
