import type { Json, JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Integrity } from '../integrity/integrity.js';
import type { Coded } from '../integrity/mac.js';
import type { Unsigned } from '../keys/signing.js';
import { kindNamed } from '../kinds/registry.js';
import type { Ledger } from '../ledgers/ledger.js';
import { type VersionWrite, versionAfter, versionOf } from '../records/version.js';
import { countCharacters, mayHavePairs } from '../store/committer/cut.js';
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

/** The text of a version. */
interface VersionText {
  readonly text: string;
  /** How it ends, and the number of characters before. */
  readonly rest: string;
  readonly cut: number;
}

const KIND = kindNamed('intent');

/**
 * An intent while it is decided on: the stored record (or the new one), and the versions that decisions add. Their proofs
 * are signed once all is decided, and their texts are made then.
 */
export class Draft {
  readonly #rest: JsonObject;
  readonly #proofs: StoredProof[];
  #unsigned: Unsigned[] = [];
  #status: string;
  #isRouted: boolean;
  readonly versions: DraftVersion[] = [];

  /**
   * @param record as it is stored; as it is to be created
   * @param stored number of its change in the database; 0 for a new one
   */
  constructor(
    readonly ledger: Ledger,
    readonly record: RecordEnvelope,
    readonly stored: number,
  ) {
    const { meta } = record;
    const { proofs, status, routed, ...rest } = meta as RecordEnvelope['meta'] & { routed?: boolean };
    this.#rest = rest as unknown as JsonObject;
    this.#proofs = [...proofs];
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

  /** The intent as it is now. */
  get current(): RecordEnvelope {
    return this.#at(this.#proofs.length, this.#status, this.#isRouted);
  }

  /** Adds a version with these proofs, which are to be signed as of `moment` (interface/intents#trails). */
  add(proofs: readonly PlannedProof[], status: string, isRouted: boolean, moment: string): void {
    for (const planned of proofs) {
      const unsigned = this.#plan(planned, moment);
      this.#proofs.push(unsigned.proof);
      this.#unsigned.push(unsigned);
    }
    this.#status = status;
    this.#isRouted = isRouted;
    this.#addVersion();
  }

  /** Hands out the proofs that are to be signed, in their order. */
  takeUnsigned(): readonly Unsigned[] {
    const unsigned = this.#unsigned;
    this.#unsigned = [];
    return unsigned;
  }

  /** The record as a version of the draft has it. */
  recordAt({ proofs, status, isRouted }: DraftVersion): RecordEnvelope {
    return this.#at(proofs, status, isRouted);
  }

  /**
   * The newest version as it is stored, and those before it. All proofs are signed by now.
   *
   * @param first the first one of a new intent, where its create has made it
   * @throws `record.invalid` when it holds more bytes than a record may
   */
  write(integrity: Integrity, first?: VersionWrite) {
    const { ledger, record } = this;
    const texts = this.#texts();
    const { change, status } = this.newest!;
    const version = first
      ? versionAfter(first, record, { change, status, text: texts.at(-1)!.text })
      : versionOf(ledger, KIND, this.current, this.change);
    const all: string[] = [];
    const coded = (version: Coded) => {
      all.push(integrity.leaf(ledger.luid, 'intent', version));
      return integrity.mac({ ledger: ledger.id, kind: 'intent' }, version);
    };
    const earlier: EarlierVersion[] = this.versions.slice(0, -1).map(({ change }, at) => {
      const { text, cut, rest: body } = texts[at]!;
      const action = change === 1 ? 'create' : 'update';
      return { change, action, cut, body, mac: coded({ luid: record.luid, change, action, body: text }) };
    });
    const mac = coded({ ...version, action: this.change === 1 ? 'create' : 'update' });
    const leaves = integrity.logCodes.codeLeaves(ledger.id, version, all.join(''));
    const action = this.stored === 0 ? ('create' as const) : ('update' as const);
    return { ...version, action, earlier, mac, leaves };
  }

  #plan({ by, custom, isBare }: PlannedProof, moment: string): Unsigned {
    return this.ledger[by].unsigned(this.record.hash, { ...custom, moment }, isBare === true);
  }

  /**
   * Texts of the versions. They differ in their proofs and in what follows them, so each is made of the one before: the last
   * one begins with all that an earlier one is up to its `rest`.
   */
  #texts(): VersionText[] {
    const { hash, data, luid } = this.record;
    const others = JSON.stringify(this.#rest).slice(1);
    let begin = `${JSON.stringify({ hash, data, luid }).slice(0, -1)},"meta":{"proofs":[`;
    let joined = 0;
    let hasPairs = mayHavePairs(begin);
    return this.versions.map(({ proofs, status, isRouted }) => {
      for (; joined < proofs; joined += 1) {
        const proof = JSON.stringify(this.#proofs[joined]);
        hasPairs ||= mayHavePairs(proof);
        begin += joined > 0 ? `,${proof}` : proof;
      }
      const rest = `],${isRouted ? '"routed":true,' : ''}"status":${JSON.stringify(status)},${others}}`;
      return { text: begin + rest, rest, cut: hasPairs ? countCharacters(begin) : begin.length };
    });
  }

  #addVersion(): void {
    const proofs = this.#proofs.length;
    this.versions.push({ change: this.change + 1, proofs, status: this.#status, isRouted: this.#isRouted });
  }

  #at(proofs: number, status: string, isRouted: boolean): RecordEnvelope {
    const { hash, data, luid } = this.record;
    const meta = {
      proofs: this.#proofs.slice(0, proofs),
      ...(isRouted ? { routed: true } : {}),
      status,
      ...this.#rest,
    } as unknown as RecordEnvelope['meta'];
    return { hash, data, luid, meta };
  }
}

/** A record as a value of an event. */
export function asJson(record: RecordEnvelope): Json {
  return record as unknown as Json;
}
