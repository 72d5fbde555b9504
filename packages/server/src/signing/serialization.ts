import { hash as hashText } from 'node:crypto';
import { digest as digestOf, type JsonObject } from '@countersign/protocol';
import { createMakeLeaf, LEAF_RANDOM_BYTES } from '../integrity/log-leaves.js';
import type { Mac } from '../integrity/mac.js';
import { makeStoredProof } from '../keys/countersigner.js';
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

/** A version that is to be serialized. */
export interface UnsignedVersion {
  readonly change: number;
  /** How many of the added proofs it has. */
  readonly proofCount: number;
  /** Its text after the last proof. */
  readonly rest: string;
}

/** Versions of a record with their proofs, as they are stored. */
export interface SerializedVersions {
  /** The last one. */
  readonly text: string;
  /** For each version, the number of characters at its beginning that it shares with the last one (decision 0026). */
  readonly cuts: readonly number[];
  /** The authentication code of each version. */
  readonly macs: readonly string[];
  /** The leaves of all of them, one after the other. */
  readonly leaves: string;
}

/** The place of the records, and what their versions are serialized with. */
export interface SerializationDeps {
  readonly ledger: { readonly id: number; readonly luid: string };
  readonly kind: KindName;
  readonly signers: readonly { readonly handle: string; readonly public: string }[];
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

/**
 * Signs the proofs that are added to a record, and makes texts, authentication codes and leaves of its versions. They differ in
 * their proofs and in what follows them, so each text is made of the one before.
 *
 * @throws Error where a proof cannot be made, as of a text with half a character
 */
export function serializeVersions(of: UnsignedRecord, deps: SerializationDeps): SerializedVersions {
  const { ledger, kind, mac, random } = deps;
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
      const proof = `,${proofText(of.hash, of.added[joined]!, deps)}`;
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

function proofText(hash: string, { signer, custom, isBare }: AddedProof, { signers, sign }: SerializationDeps): string {
  const digest = digestOf(hash, custom, { sha256: (text) => hashText('sha256', text) });
  return JSON.stringify(makeStoredProof(signers[signer]!, { custom, digest, result: sign(signer, digest) }, isBare));
}
