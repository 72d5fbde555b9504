import { decodeBase64, decodeHex, type StoredProof } from '@countersign/protocol';
import type { Cryptography } from './cryptography.js';
import type { Environment } from './environment.js';
import { AnswerError } from './errors.js';
import type { Signed } from './shape.js';

/** What is remembered of a version, to know an older one by. */
export interface SeenVersion {
  /** The record and its data. */
  readonly id: string;
  /** The one that it was made from: an update names the hash of what it replaces. */
  readonly parent: string;
  /** In the ledger's proof, in milliseconds. */
  readonly moment: number;
  readonly count: number;
  readonly last: string | undefined;
  /** Some that it has replaced, newest first. */
  readonly older: readonly string[];
  /** When it was noted, on a count of notes. */
  readonly at: number;
}

/** Records that are remembered. */
const MOST_REMEMBERED = 10_000;
/** Versions that are remembered of each to be older. */
const OLDER = 8;
/** Milliseconds by which the clocks of a ledger's processes may differ. */
const SKEW = 10_000;

/** Whose signature counts, and how far the ledger has come as far as this client has seen. */
export class Trust {
  readonly #environment: Environment;
  readonly #seen = new Map<string, SeenVersion>();
  /** The key of the ledger's `system`, once it is known. */
  key: string | undefined;
  /** The latest moment that the ledger has signed, in milliseconds. */
  latest = 0;
  /** Notes that were taken. */
  notes = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.key = environment.options.systemKey;
  }

  /** Whether a proof is by the ledger. The first key that calls itself so is trusted where none is pinned. */
  isByLedger(proof: StoredProof): boolean {
    if (this.key === undefined && proof.signer === 'system') {
      this.key = proof.public;
      this.#environment.options.onFirstUse?.(proof.public);
    }
    return proof.public === this.key;
  }

  /** @throws AnswerError `stale` unless the ledger has just signed this: lists and errors say when */
  checkMoment(proof: StoredProof, latestWhenSent: number): void {
    const { tolerance = 300 } = this.#environment.options;
    const moment = Date.parse(String(proof.custom?.moment));
    // Written so that what is no time fails.
    const isNow = Math.abs(moment - this.#environment.now()) <= tolerance * 1000 && moment >= latestWhenSent - SKEW;
    if (!isNow) throw new AnswerError('stale', `The answer was signed at ${proof.custom?.moment}`);
    this.latest = Math.max(this.latest, moment);
  }

  /** @throws AnswerError `proof` unless every proof is over the hash, or one of several, and by the key that it names */
  async verifyProofs(proofs: readonly StoredProof[], ...hashes: readonly string[]): Promise<void> {
    const { cryptography } = this.#environment;
    const verdicts = await Promise.all(proofs.map((proof) => isProofOver(cryptography, hashes, proof)));
    if (verdicts.includes(false)) throw new AnswerError('proof', 'A proof does not verify');
  }

  /** What is known of records by these names when a request is sent. */
  known(names: readonly string[]): (SeenVersion | undefined)[] {
    return names.map((name) => this.#seen.get(name));
  }

  /**
   * @param notesBefore that were taken when the record was asked for: the answer is no older than what they say
   * @throws AnswerError `stale` when the record is an older version than `before`, what was known when it was asked for
   */
  note(
    record: Signed,
    byLedger: StoredProof,
    names: readonly string[],
    before: readonly (SeenVersion | undefined)[],
    notesBefore: number,
  ): void {
    const { luid, hash, data, meta } = record;
    const { proofs } = meta;
    const now = {
      id: `${luid} ${hash}`,
      parent: `${luid} ${String(data.parent).toLowerCase()}`,
      moment: Date.parse(String(byLedger.custom?.moment)),
      count: proofs.length,
      last: proofs.at(-1)?.digest,
      at: ++this.notes,
    };
    for (const seen of before)
      if (seen && isBefore(now, seen, proofs, SKEW))
        throw new AnswerError('stale', `${names[0]} was seen in a later version`);
    for (const name of names) {
      const seen = this.#seen.get(name);
      if (seen && isBefore(now, seen, proofs, 0)) continue;
      let older = seen?.older ?? [];
      // Answers overtake one another: only what was known before is certainly replaced.
      const isReplaced = seen && seen.id !== now.id && (seen.at <= notesBefore || seen.id === now.parent);
      if (isReplaced) older = [seen.id, ...older].slice(0, OLDER);
      this.#seen.delete(name);
      this.#seen.set(name, { ...now, older });
      if (this.#seen.size > MOST_REMEMBERED) this.#seen.delete(this.#seen.keys().next().value as string);
    }
  }
}

/** Whether a version is older than one that was seen. Its moment alone says so by more than clocks may differ. */
function isBefore(
  now: Omit<SeenVersion, 'older'>,
  seen: SeenVersion,
  proofs: readonly StoredProof[],
  skew: number,
): boolean {
  // Proofs are only ever added to the same data.
  if (now.id === seen.id) return now.count < seen.count || proofs[seen.count - 1]?.digest !== seen.last;
  if (now.parent === seen.id) return false;
  return seen.older.includes(now.id) || seen.parent === now.id || now.moment + skew < seen.moment;
}

async function isProofOver(
  cryptography: Cryptography,
  hashes: readonly string[],
  proof: StoredProof,
): Promise<boolean> {
  const { method, public: name, digest, result, custom } = proof;
  if (method !== 'ed25519-v2' || name?.length !== 44 || result?.length !== 88) return false;
  const key = decodeBase64(name);
  const signature = decodeBase64(result);
  const digests = await Promise.all(hashes.map((hash) => cryptography.digest(hash, custom)));
  if (!digests.includes(digest) || key === undefined || signature?.length !== 64) return false;
  return cryptography.verify(signature, decodeHex(digest)!, key, name);
}
