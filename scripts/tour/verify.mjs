import { hash, verifyProof } from '@countersign/protocol';
import { expect } from './surprise.mjs';

/** Checks answers the way anyone who holds one can: with nothing but the ledger's public key. */
export class Verifier {
  #system;
  answers = 0;
  proofs = 0;

  /** From now on each answer must carry a proof of this key, the ledger's `system` signer's. */
  trust(system) {
    this.#system = system;
  }

  /**
   * Checks a record, a version of one, a list or an error.
   *
   * @returns its proofs as text, for the reader
   * @throws Surprise when the hash is not over the data, a proof is not good, or the ledger's is missing
   */
  check(body) {
    expect(body?.hash === hash(body.data), 'the hash is not that of the data');
    const { proofs } = body.meta;
    for (const proof of proofs) {
      expect(verifyProof(signedHash(body, proof), proof), `the proof of ${proof.signer ?? proof.public} is not good`);
    }
    expect(
      proofs.some((proof) => proof.public === this.#system),
      'the ledger has not signed its answer',
    );
    this.answers += 1;
    this.proofs += proofs.length;
    return `hash, and ${proofs.length} ${proofs.length === 1 ? 'proof' : 'proofs'}: ${signers(proofs)}`;
  }
}

/** A drop is signed over the version it ends: over the hash of `{"parent": <that version's hash>}`. */
function signedHash(body, proof) {
  const ends = body.meta.action === 'drop' && proof.custom?.status === 'dropped';
  return ends ? hash({ parent: body.hash }) : body.hash;
}

/** Who signed, in the order of the proofs; several in a row by one are counted. */
function signers(proofs) {
  const names = new Map(proofs.flatMap(({ public: key, signer }) => (signer ? [[key, signer]] : [])));
  const runs = [];
  for (const { public: key } of proofs) {
    const name = names.get(key) ?? `key ${key.slice(0, 8)}…`;
    if (runs.at(-1)?.name === name) runs.at(-1).count += 1;
    else runs.push({ name, count: 1 });
  }
  return runs.map(({ name, count }) => (count === 1 ? name : `${name} (${count})`)).join(', ');
}
