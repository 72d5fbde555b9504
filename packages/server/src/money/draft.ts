import { type JsonObject, type RecordEnvelope, readJson, type StoredProof } from '@countersign/protocol';
import type { Integrity } from '../integrity/integrity.js';
import type { Countersigner } from '../keys/countersigner.js';
import { kindNamed } from '../kinds/registry.js';
import type { Ledger } from '../ledgers/ledger.js';
import { type VersionWrite, versionAfter, versionOf } from '../records/version.js';
import { type AddedProof, actionOf, type SerializedVersions, type UnsignedRecord } from '../signing/serialization.js';
import type { EarlierVersion } from '../store/committer/write.js';
import type { PlannedProof } from './model.js';

/** A version that a draft has added to its intent. */
export interface DraftVersion {
  readonly change: number;
  /** Number of its proofs. */
  readonly proofs: number;
  readonly status: string;
  readonly isRouted: boolean;
}

/** A proof that was decided on. */
interface DecidedProof extends Omit<AddedProof, 'signer'> {
  readonly signer: Countersigner;
}

const KIND = kindNamed('intent');

/**
 * An intent while it is decided on: the stored record (or the new one), and the versions that decisions add. Once all is
 * decided they are serialized (signing/serialization.ts): proofs are signed, and texts and codes made.
 */
export class Draft {
  readonly #rest: JsonObject;
  readonly #added: DecidedProof[] = [];
  #planned: UnsignedRecord | undefined;
  #serialized: SerializedVersions | undefined;
  /** All proofs, once those that were added are read in the text. */
  #proofs: readonly StoredProof[] | undefined;
  #status: string;
  #isRouted: boolean;
  readonly versions: DraftVersion[] = [];

  /**
   * @param record as it is stored; as it is to be created
   * @param stored number of its change in the database; 0 for a new one
   * @param text of the record, where it is at hand
   */
  constructor(
    readonly ledger: Ledger,
    readonly record: RecordEnvelope,
    readonly stored: number,
    private readonly text?: string,
  ) {
    const { meta } = record;
    const { proofs: _, status, routed, ...rest } = meta as RecordEnvelope['meta'] & { routed?: boolean };
    this.#rest = rest as unknown as JsonObject;
    this.#status = status ?? 'pending';
    this.#isRouted = routed === true;
    if (stored === 0) this.#addVersion();
  }

  /** Number of the newest version. */
  get change(): number {
    return this.versions.at(-1)?.change ?? this.stored;
  }

  /** The newest version that it has added; undefined while there is none. */
  get newest(): DraftVersion | undefined {
    return this.versions.at(-1);
  }

  get status(): string {
    return this.#status;
  }

  /** Number of proofs that it has by now. */
  get proofCount(): number {
    return this.record.meta.proofs.length + this.#added.length;
  }

  /**
   * Adds a version with these proofs, which are to be signed as of `moment` (interface/intents#trails).
   *
   * @throws `record.invalid` where the ledger's keys are missing
   */
  add(proofs: readonly PlannedProof[], status: string, isRouted: boolean, moment: string): void {
    for (const { by, custom, isBare = false } of proofs) {
      const signer = this.ledger[by];
      // Refuses now what could not be signed later.
      signer.signingKey();
      this.#added.push({ signer, custom: { ...custom, moment }, isBare });
    }
    this.#status = status;
    this.#isRouted = isRouted;
    this.#addVersion();
  }

  /**
   * What is to be serialized, for `write` to take.
   *
   * @param indexOf of the signer of a proof
   */
  planVersions(indexOf: (signer: Countersigner) => number): UnsignedRecord {
    const { hash, luid, meta } = this.record;
    const { length } = meta.proofs;
    const others = JSON.stringify(this.#rest).slice(1);
    this.#planned = {
      luid,
      hash,
      begin: this.#begin(others),
      added: this.#added.map(({ signer, custom, isBare }) => ({ signer: indexOf(signer), custom, isBare })),
      versions: this.versions.map(({ change, proofs, status, isRouted }) => ({
        change,
        proofCount: proofs - length,
        rest: restOf(status, isRouted, others),
      })),
    };
    return this.#planned;
  }

  /** The record as a version of the draft has it. @throws Error where proofs were added, and `write` was not called yet */
  recordAt({ proofs, status, isRouted }: DraftVersion): RecordEnvelope {
    return this.#at(proofs, status, isRouted);
  }

  /**
   * The newest version as it is stored, and those before it.
   *
   * @param serialized what `planVersions` gave, serialized
   * @param first the first one of a new intent, where its create has made it
   * @throws `record.invalid` when it holds more bytes than a record may
   */
  write(serialized: SerializedVersions, { logCodes }: Integrity, first?: VersionWrite) {
    this.#serialized = serialized;
    const { ledger, record } = this;
    const { text, cuts, macs, leaves } = serialized;
    const { change, status } = this.newest!;
    // `versionOf` judges the size by a text of its own. What is stored is the text that the code covers.
    const version = first
      ? versionAfter(first, record, { change, status, text })
      : { ...versionOf(ledger, KIND, this.recordAt(this.newest!), change), body: text };
    const earlier = this.#planned!.versions.slice(0, -1).map(({ change, rest }, at): EarlierVersion => {
      return { change, action: actionOf(change), cut: cuts[at]!, body: rest, mac: macs[at]! };
    });
    // Of the whole write; `actionOf` is that of one version.
    const action = this.stored === 0 ? ('create' as const) : ('update' as const);
    const coded = logCodes.codeLeaves(ledger.id, version, leaves);
    return { ...version, action, earlier, mac: macs.at(-1)!, leaves: coded };
  }

  /** The text of the record up to its last proof: cut from its whole text, which may be long, where that is at hand. */
  #begin(others: string): string {
    const { text } = this;
    const { hash, data, luid, meta } = this.record;
    const { status = 'pending', routed } = meta;
    const rest = restOf(status, routed === true, others);
    if (text?.endsWith(rest)) return text.slice(0, -rest.length);
    const proofs = JSON.stringify(meta.proofs).slice(0, -1);
    return `${JSON.stringify({ hash, data, luid }).slice(0, -1)},"meta":{"proofs":${proofs}`;
  }

  #addVersion(): void {
    const { proofCount: proofs } = this;
    this.versions.push({ change: this.change + 1, proofs, status: this.#status, isRouted: this.#isRouted });
  }

  /** All proofs: those that were added are read in the text. */
  #allProofs(): readonly StoredProof[] {
    const { proofs } = this.record.meta;
    if (this.#added.length === 0) return proofs;
    if (!this.#serialized) throw new Error('The proofs of the draft are not signed yet.');
    this.#proofs ??= (readJson(this.#serialized.text) as RecordEnvelope).meta.proofs;
    return this.#proofs;
  }

  /** The record with its members in the order of the texts that are serialized. */
  #at(proofs: number, status: string, isRouted: boolean): RecordEnvelope {
    const { hash, data, luid } = this.record;
    const meta = {
      proofs: this.#allProofs().slice(0, proofs),
      ...(isRouted ? { routed: true } : {}),
      status,
      ...this.#rest,
    } as unknown as RecordEnvelope['meta'];
    return { hash, data, luid, meta };
  }
}

/** The text of a version after its last proof. @param others JSON of the other members of `meta`, without its brace */
function restOf(status: string, isRouted: boolean, others: string): string {
  return `],${isRouted ? '"routed":true,' : ''}"status":${JSON.stringify(status)},${others}}`;
}
