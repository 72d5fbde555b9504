import { digest as digestOf, type JsonObject, type Suite } from '@countersign/protocol';
import { createMakeLeaf, LEAF_CHARACTERS, LEAF_RANDOM_BYTES } from '../integrity/leaf.js';
import type { Mac } from '../integrity/mac.js';
import { storedProof } from '../keys/countersigner.js';
import type { KindName } from '../kinds/kind.js';
import { countCharacters } from '../store/committer/cut.js';

/** Versions of a record that are decided on: proofs of the ledger are added, which nobody has signed yet. */
export interface UnsignedRecord {
  readonly luid: string;
  readonly hash: string;
  /** Its text up to the last proof that it has; it has one at least. */
  readonly begin: string;
  /** The proofs that are added, in their order. */
  readonly added: readonly AddedProof[];
  readonly versions: readonly UnsignedVersion[];
}

/** A proof that the ledger adds. */
export interface AddedProof {
  /** Index of its signer. */
  readonly signer: number;
  /** JSON values only: the thread reads NaN and infinities as null. */
  readonly custom: JsonObject;
  /** Free of `origin` and `signer`. */
  readonly isBare: boolean;
}

/** A version that is to be assembled. */
export interface UnsignedVersion {
  readonly change: number;
  /** How many of the added proofs it has. */
  readonly proofCount: number;
  /** Its text after the last proof. */
  readonly rest: string;
}

/** Versions of a record with their proofs, as they are stored. */
export interface AssembledVersions {
  /** The last one. */
  readonly text: string;
  /** For each version, the number of characters at its beginning that it shares with the last one (decision 0027). */
  readonly cuts: readonly number[];
  /** The authentication code of each version. */
  readonly macs: readonly string[];
  /** The leaves of all of them, one after the other. */
  readonly leaves: string;
}

/** Where the records are, and what their versions are assembled with. */
export interface AssemblyMeans {
  readonly ledger: { readonly id: number; readonly luid: string };
  readonly kind: KindName;
  readonly signers: readonly { readonly handle: string; readonly public: string }[];
  readonly sha256: Suite['sha256'];
  readonly mac: Mac;
  /** Base64 of the signature of a signer, by its index, over a digest in hex. */
  sign(signer: number, digest: string): string;
  /** Random bytes. */
  random(bytes: number): Uint8Array;
}

/** Bytes of randomness that the versions take. */
export function randomBytesFor({ versions }: UnsignedRecord): number {
  return versions.length * LEAF_RANDOM_BYTES;
}

/** Characters that a proof of the ledger adds to a text, roughly. */
const PROOF_CHARACTERS = 400;

/** Characters that their texts have together, roughly. */
export function sizeOf({ begin, added, versions }: UnsignedRecord): number {
  return (begin.length + PROOF_CHARACTERS * added.length) * versions.length;
}

/** Whether an answer has all that was asked for, or says why it has not. */
export function isAnswerTo({ versions }: UnsignedRecord, answer: AssembledVersions | string): boolean {
  if (typeof answer === 'string') return true;
  const { cuts, macs, leaves } = answer;
  const { length } = versions;
  return cuts.length === length && macs.length === length && leaves.length === LEAF_CHARACTERS * length;
}

/**
 * Assembles the versions of records, one after the other.
 *
 * @returns for each record its versions, or the text of the error: a record that fails does not affect the others
 */
export function assembleEach(records: readonly UnsignedRecord[], means: AssemblyMeans): (AssembledVersions | string)[] {
  return records.map((record) => {
    try {
      return assembleVersions(record, means);
    } catch (error) {
      return error instanceof Error && error.stack ? error.stack : String(error);
    }
  });
}

/**
 * Signs the proofs that are added to a record, and makes texts, authentication codes and leaves of its versions. They differ in
 * their proofs and in what follows them, so each text is made of the one before.
 */
function assembleVersions(of: UnsignedRecord, means: AssemblyMeans): AssembledVersions {
  const { ledger, kind, mac, random } = means;
  const leafOf = createMakeLeaf(random);
  const { luid } = of;
  const cuts: number[] = [];
  const macs: string[] = [];
  const leaves: string[] = [];
  let { begin } = of;
  let joined = 0;
  let cut = countCharacters(begin);
  let text = '';
  for (const { change, proofCount, rest } of of.versions) {
    for (; joined < proofCount; joined += 1) {
      const proof = `,${proofText(of.hash, of.added[joined]!, means)}`;
      begin += proof;
      cut += countCharacters(proof);
    }
    text = begin + rest;
    const version = { luid, change, action: actionOf(change), body: text };
    cuts.push(cut);
    macs.push(mac({ ledger: ledger.id, kind }, version));
    leaves.push(leafOf(ledger.luid, kind, version));
  }
  return { text, cuts, macs, leaves: leaves.join('') };
}

/** What made a version of an intent. */
export function actionOf(change: number): 'create' | 'update' {
  return change === 1 ? 'create' : 'update';
}

function proofText(hash: string, { signer, custom, isBare }: AddedProof, means: AssemblyMeans): string {
  const { signers, sign } = means;
  const digest = digestOf(hash, custom, means);
  return JSON.stringify(storedProof(signers[signer]!, { custom, digest, result: sign(signer, digest) }, isBare));
}
