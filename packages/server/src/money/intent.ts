import { type JsonObject, type RecordEnvelope, readJson, type StoredProof } from '@countersign/protocol';
import type { Move } from '@countersign/protocol/trail';
import type { Countersigner } from '../keys/countersigner.js';
import { kindNamed } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import { type VersionWrite, versionAfter, versionOf } from '../records/version.js';
import { type AddedProof, actionOf, type SerializedVersions, type UnsignedRecord } from '../signing/serialization.js';
import type { EarlierVersion, Need, Write } from '../store/committer/write.js';
import type { Place } from '../store/money/books.js';
import { DECIDED_STAGES, type StoredOpenIntent } from '../store/money/open-intents.js';
import { type Forward, type IntentFailure, type Plan, type Planned, placesOf, placesOfPlanned } from './plan/plan.js';

/** What became of a part: `idle` until the bridge is asked. */
export type PartStatus = 'idle' | 'asked' | 'prepared' | 'failed' | 'committing' | 'committed' | 'aborting' | 'aborted';

/**
 * Where an intent stands.
 * `accepted`: stored, not resolved. `waiting`: for a permission. `debits`, `credits`: for the bridges of that side to
 * prepare. `held`: prepared, for a signer to decide. `prepared`: for the other intents of its thread.
 * `committing`: cleared, for bridges to commit. `aborting`: failed, for bridges to abort.
 */
export type Stage =
  | 'accepted'
  | 'waiting'
  | 'debits'
  | 'credits'
  | 'held'
  | 'prepared'
  | 'committing'
  | 'completed'
  | 'aborting'
  | 'rejected';

/** The state of an intent between two events. */
export interface IntentState {
  readonly stage: Stage;
  /** Absent until it is resolved, and for one that was not. */
  readonly plan?: Plan;
  /** By the order of `plan.parts`. */
  readonly parts: readonly PartStatus[];
  /** Indexes of the parts whose last call was given up, ascending: that is noted once. */
  readonly givenUp: readonly number[];
  /** Whether it was prepared, as its versions say from then on (`meta.routed`). */
  readonly isRouted: boolean;
  /** Why it fails, or has failed. */
  readonly failure?: IntentFailure;
}

/** Where every intent begins: stored, with the proofs of its creation. */
export const ACCEPTED: IntentState = { stage: 'accepted', parts: [], givenUp: [], isRouted: false };

/** Whether nothing happens to it any more. */
export function isFinal({ stage }: IntentState): boolean {
  return stage === 'completed' || stage === 'rejected';
}

/** Whether it is decided how an intent ends, and bridges have yet to carry it out. */
export function isDecided(stage: Stage): boolean {
  return DECIDED_STAGES.some((one) => one === stage);
}

/** What a bridge says of a part. */
export type ReportStatus = 'prepared' | 'failed' | 'committed' | 'aborted';

/** What happens to an intent. */
export type IntentEvent =
  /** A claim leads to no wallet or symbol. */
  | { readonly type: 'unresolved'; readonly failure: IntentFailure }
  /** `refusal`: a limit that it would exceed; judged only where it is permitted. */
  | { readonly type: 'resolved'; readonly plan: Plan; readonly isPermitted: boolean; readonly refusal?: IntentFailure }
  /** A proof with the handle of a part. */
  | { readonly type: 'report'; readonly part: string; readonly status: ReportStatus }
  /** The last attempt of a call has failed. */
  | { readonly type: 'gave-up'; readonly part: string; readonly detail: string }
  | { readonly type: 'expired' }
  /** It is to commit, and a wallet has no room for its credits any more. */
  | { readonly type: 'full'; readonly failure: IntentFailure }
  /** All intents of its thread are prepared, or one has failed. */
  | { readonly type: 'thread-prepared' }
  | { readonly type: 'thread-failed'; readonly failure: IntentFailure }
  /** A signer decides on one that is held. */
  | { readonly type: 'decided'; readonly action: 'commit' | 'abort' };

/** A proof that the ledger is to make: `custom` without its moment. */
export interface PlannedProof {
  readonly by: 'system' | 'core';
  readonly custom: JsonObject;
  /** Served without `origin` and `signer` (interface/intents#trails). */
  readonly isBare?: true;
}

/** What follows from an event, in order. */
export type Effect =
  /**
   * A version to be stored: the proofs that it adds. `raises`: whether `intent-updated` tells of it. Those that do not are
   * steps on the way to the next: resolved, prepared by the core, routed, released by the core.
   */
  | {
      readonly type: 'version';
      readonly proofs: readonly PlannedProof[];
      readonly status: string;
      readonly isRouted: boolean;
      readonly raises: boolean;
    }
  /**
   * A change of balances, of all entries at once. `pending`: debits go from available to reserved. `void`: back.
   * `post`: debits leave (from reserved; from available for one that the ledger made to forward), credits arrive, limits
   * are set.
   */
  | { readonly type: 'move'; readonly move: Move }
  | Call
  /** The ledger is to make the intents that forward credits (`Entry.forwardTo`). */
  | { readonly type: 'forward' };

/** A call to the bridge of a part, or a bridge is told of the status; with the intent as of the version before this effect. */
export type Call =
  | { readonly type: 'call'; readonly part: number; readonly verb: 'prepare' | 'commit' | 'abort' }
  | { readonly type: 'notify'; readonly bridge: string };

/** A version that decisions have added to an intent. */
export interface IntentVersion {
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

export const INTENT_KIND = kindNamed('intent');

/** What a decision on an intent begins with. It stays as it is. */
export interface IntentInput {
  /** Of a new intent of a client: what its create has decided. */
  readonly write?: Write;
  /** Of one under way: its row, its newest change in the database, where it stands, and the day that it was counted on. */
  readonly open?: {
    readonly row: StoredOpenIntent;
    readonly change: number;
    readonly state: IntentState;
    readonly day?: string;
  };
  /** Where this decision is to resolve it: its plan. */
  readonly planned?: Planned;
  /** The intents that forward its credits, as they would be made: those of its plan unless given. */
  readonly forwards?: readonly Forward[];
  /** What has happened to it since the last decision; nothing unless given. */
  readonly events?: readonly IntentEvent[];
}

/**
 * An intent in a decision: what that begins with (`record`, `input`), and what it comes to: where the intent stands then, with
 * its versions and calls. It serves one decision; when that is not stored, the intent is read and planned anew.
 *
 * Versions are serialized once all is decided (signing/serialization.ts): proofs are signed, and texts and codes made.
 */
export class Intent {
  state: IntentState;
  /** The UTC day on which it was counted against daily limits. */
  day: string | undefined;
  readonly versions: IntentVersion[] = [];
  /** Versions that events of effects tell of, each with the one told before. */
  readonly told: { readonly version: IntentVersion; readonly before: IntentVersion | undefined }[] = [];
  /** The version at which its balances changed; absent while they have not. */
  settled: IntentVersion | undefined;
  /** Calls to bridges, each with the intent as of a version: one that was just made, or that was stored before. */
  readonly calls: { readonly call: Call; readonly change: number }[] = [];
  readonly #rest: JsonObject;
  readonly #added: DecidedProof[] = [];
  #unsigned: UnsignedRecord | undefined;
  #serialized: SerializedVersions | undefined;
  /** All proofs, once those that were added are read in the text. */
  #proofs: readonly StoredProof[] | undefined;
  #status: string;
  #isRouted: boolean;

  /** @param record as it is stored; as it is to be created */
  constructor(
    readonly session: Session,
    readonly record: RecordEnvelope,
    readonly input: IntentInput,
  ) {
    const { open } = input;
    const { proofs: _, status, routed, ...rest } = record.meta as RecordEnvelope['meta'] & { routed?: boolean };
    this.#rest = rest as unknown as JsonObject;
    this.#status = status ?? 'pending';
    this.#isRouted = routed === true;
    this.state = open?.state ?? ACCEPTED;
    this.day = open?.day;
    if (!open) this.#addVersion();
  }

  /** Number of its change in the database; 0 for a new one. */
  get stored(): number {
    return this.input.open?.change ?? 0;
  }

  /** The intents that forward its credits, as they would be made. */
  get forwards(): readonly Forward[] {
    return this.input.forwards ?? this.input.planned?.forwards ?? [];
  }

  /** Number of the newest version. */
  get change(): number {
    return this.newest?.change ?? this.stored;
  }

  /** The newest version that was added; undefined while there is none. */
  get newest(): IntentVersion | undefined {
    return this.versions.at(-1);
  }

  /** Number of proofs that it has by now. */
  get proofCount(): number {
    return this.record.meta.proofs.length + this.#added.length;
  }

  /** Records that the decision rests on. */
  needs(): readonly Need[] {
    const { planned, write } = this.input;
    return [...(planned?.needs ?? this.forwards.flatMap(({ needs }) => needs)), ...(write?.mustExist ?? [])];
  }

  /** The balances that the decision may read. */
  places(): readonly Place[] {
    const { planned } = this.input;
    if (planned) return placesOfPlanned(planned);
    const own = this.state.plan ? placesOf(this.state.plan) : [];
    return [...own, ...this.forwards.flatMap(placesOfPlanned)];
  }

  /**
   * Adds a version with these proofs, which are to be signed as of `moment` (interface/intents#trails).
   *
   * @throws `record.invalid` where the ledger's keys are missing
   */
  add({ proofs, status, isRouted, raises }: Extract<Effect, { type: 'version' }>, moment: string): void {
    const before = this.told.at(-1)?.version ?? this.newest;
    for (const { by, custom, isBare = false } of proofs) {
      const signer = this.session.ledger[by];
      // Refuses now what could not be signed later.
      signer.signingKey();
      this.#added.push({ signer, custom: { ...custom, moment }, isBare });
    }
    this.#status = status;
    this.#isRouted = isRouted;
    this.#addVersion();
    if (raises) this.told.push({ version: this.newest!, before });
  }

  /**
   * What is to be serialized, for `writeVersions` to take.
   *
   * @param indexOf of the signer of a proof
   */
  unsigned(indexOf: (signer: Countersigner) => number): UnsignedRecord {
    const { hash, luid, meta } = this.record;
    const { length } = meta.proofs;
    const others = JSON.stringify(this.#rest).slice(1);
    this.#unsigned = {
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
    return this.#unsigned;
  }

  /**
   * The newest version as it is stored, and those before it.
   *
   * @param serialized what `unsigned` gave, serialized
   * @throws `record.invalid` when it holds more bytes than a record may
   */
  writeVersions(serialized: SerializedVersions) {
    this.#serialized = serialized;
    const { record } = this;
    const { write: first } = this.input;
    const { ledger, integrity } = this.session;
    const { text, cuts, macs, leaves } = serialized;
    const { change, status } = this.newest!;
    // `versionOf` judges the size by a text of its own. What is stored is the text that the code covers.
    const version: VersionWrite = first
      ? versionAfter(first, record, { change, status, text })
      : { ...versionOf(ledger, INTENT_KIND, this.recordAt(this.newest!), change), body: text };
    const earlier = this.#unsigned!.versions.slice(0, -1).map(({ change, rest }, at): EarlierVersion => {
      return { change, action: actionOf(change), cut: cuts[at]!, body: rest, mac: macs[at]! };
    });
    // Of the whole write; `actionOf` is that of one version.
    const action = this.stored === 0 ? ('create' as const) : ('update' as const);
    const coded = integrity.logCodes.codeLeaves(ledger.id, version, leaves);
    return { ...version, action, earlier, mac: macs.at(-1)!, leaves: coded };
  }

  /**
   * The record as one of its versions has it, with its members in the order of the texts that are serialized.
   *
   * @throws Error where proofs were added, and `writeVersions` was not called yet
   */
  recordAt({ proofs, status, isRouted }: IntentVersion): RecordEnvelope {
    const { hash, data, luid } = this.record;
    const meta = {
      proofs: this.#allProofs().slice(0, proofs),
      ...(isRouted ? { routed: true } : {}),
      status,
      ...this.#rest,
    } as unknown as RecordEnvelope['meta'];
    return { hash, data, luid, meta };
  }

  /** The text of the record up to its last proof: cut from its whole text, which may be long, where that is at hand. */
  #begin(others: string): string {
    const text = this.input.write?.body;
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
    if (!this.#serialized) throw new Error('The proofs of the intent are not signed yet.');
    this.#proofs ??= (readJson(this.#serialized.text) as RecordEnvelope).meta.proofs;
    return this.#proofs;
  }
}

/** The text of a version after its last proof. @param others JSON of the other members of `meta`, without its brace */
function restOf(status: string, isRouted: boolean, others: string): string {
  return `],${isRouted ? '"routed":true,' : ''}"status":${JSON.stringify(status)},${others}}`;
}
