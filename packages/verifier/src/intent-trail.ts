import type { JsonObject, StoredProof } from '@countersign/protocol';
import { type Move, TRAIL, TRAIL_START, type TrailRow, type TrailStep } from '@countersign/protocol/trail';
import type { ReportFault } from './changes.js';
import { limitClaimDefect, planDefect } from './intent-plan.js';
import { jsonText } from './json/json-text.js';
import { authorOf, type LedgerKeys } from './keys.js';

/** A change of balances that follows from a version. */
export interface BalanceBooking {
  readonly action: Move;
  readonly change: number;
  readonly moment: string;
}

/** Follows the proofs of one intent, version by version. */
export class IntentTrail {
  #last: TrailStep | 'accepted' = 'accepted';
  #status: string = TRAIL_START.status;
  #isRouted = false;
  readonly resolved: StoredProof[] = [];
  readonly booked: BalanceBooking[] = [];
  /** The moment of the ledger's first step: addresses led where they did by then. */
  begun = '';

  constructor(
    private readonly keys: LedgerKeys,
    private readonly data: JsonObject,
  ) {}

  /** The status that the proofs give. */
  get status(): string {
    return this.#status;
  }

  /** Whether all has been done, or refused. */
  get isFinal(): boolean {
    return this.#last === 'completed' || this.#last === 'rejected';
  }

  get isRejected(): boolean {
    return this.#last === 'rejected';
  }

  /** Whether the ledger reserves its debits. */
  get isReserved(): boolean {
    return this.booked.some(({ action }) => action === 'pending');
  }

  /** Takes the proofs that a version adds, and what its `meta` says. */
  add(
    change: number,
    added: readonly StoredProof[],
    meta: { readonly status?: string; readonly routed?: true },
    fault: ReportFault,
  ): void {
    if (added.length === 0) this.#route(meta.routed === true, fault);
    else this.addProofs(change, added, fault);
    if (meta.status !== this.#status)
      fault('trail', `has the status ${String(meta.status)}, where its proofs give ${this.#status}`);
    if ((meta.routed === true) !== this.#isRouted)
      fault('trail', this.#isRouted ? 'is no longer routed' : 'is routed before it is prepared');
  }

  /** Takes the proofs of one step, where nothing is known of the version that they made. */
  addProofs(change: number, added: readonly StoredProof[], fault: ReportFault): void {
    const steps = added.map((proof) => stepOf(this.keys, proof));
    const [first] = steps;
    if (first === undefined || first === 'note') this.#takeOther(added, fault);
    else if (steps.some((step) => step !== first)) fault('trail', `adds proofs of several steps: ${steps.join(', ')}`);
    else this.#take(first, added, change, fault);
  }

  #take(step: TrailStep, proofs: readonly StoredProof[], change: number, fault: ReportFault): void {
    const { isPerEntry, status, move } = TRAIL[step];
    const isRepeated = step === this.#last && isPerEntry;
    const next: readonly TrailStep[] = this.#last === 'accepted' ? TRAIL_START.next : TRAIL[this.#last].next;
    if (!next.includes(step) && !isRepeated) {
      fault('trail', `is ${step} after it was ${this.#last}`);
      return;
    }
    if (isRepeated || (!isPerEntry && proofs.length > 1)) fault('trail', `is ${step} twice`);
    const defect = this.#defectOf(step, proofs);
    if (defect !== undefined) fault('trail', defect);
    this.#last = step;
    this.#status = status ?? this.#status;
    // Nothing is moved by entries that are not those of the claims.
    if (step === 'resolved' && defect === undefined) this.resolved.push(...proofs);
    const moment = jsonText(proofs[0]!.custom?.moment);
    if (this.begun === '') this.begun = moment;
    if (move !== undefined) this.booked.push({ action: move, change, moment });
  }

  #defectOf(step: TrailStep, proofs: readonly StoredProof[]): string | undefined {
    if (step === 'resolved') return planDefect(this.data, proofs);
    if (TRAIL[step].isPerEntry) {
      const isEach =
        proofs.length === this.resolved.length &&
        proofs.every(({ custom }, at) => {
          const entry = this.resolved[at]!.custom;
          return custom?.handle === entry?.handle && custom?.schema === entry?.schema;
        });
      return isEach ? undefined : `is ${step} for other entries than were resolved`;
    }
    if (step === 'prepared' && this.#mustReserve && !this.isReserved)
      return 'is prepared, and its debits were not reserved';
    if (step === 'prepared') return limitClaimDefect(this.data);
    if (step === 'rejected' && this.isReserved && this.#last !== 'released')
      return 'is rejected, and its debits are still reserved';
    if (step === 'cleared' && this.isReserved) return 'is cleared by system, and its debits are reserved by core';
    return undefined;
  }

  /** Reports of bridges, decisions of signers, whatever clients post, and notes of the ledger: one to a version. */
  #takeOther(added: readonly StoredProof[], fault: ReportFault): void {
    if (added.length > 1) fault('trail', 'adds several proofs that are not a step of the ledger');
  }

  #route(isRouted: boolean, fault: ReportFault): void {
    if (!isRouted || this.#isRouted || this.#last !== 'prepared') fault('trail', 'adds nothing');
    this.#isRouted = true;
  }

  /** What the ledger itself makes to forward a credit reserves nothing (interface/intents#forwarding). */
  get #mustReserve(): boolean {
    return this.data.origin === undefined && this.resolved.some(({ custom }) => custom?.schema === 'debit');
  }
}

/** The step that a proof of the ledger is; undefined for proofs of others, and for what changes nothing. */
export function stepOf(keys: LedgerKeys, { custom = {}, ...proof }: StoredProof): TrailStep | undefined {
  const author = authorOf(keys, proof);
  const found = TRAIL_STEPS.find(
    ([, { by, says }]) => by === author && Object.entries(says).every(([name, value]) => custom[name] === value),
  );
  return found?.[0];
}

const TRAIL_STEPS = Object.entries(TRAIL) as [TrailStep, TrailRow][];
