import type { Judgement } from './decide.js';

/**
 * A decision for the operator's log: what was asked, and which rule decided. It holds names and positions only: tokens,
 * keys, and the content of records beside the handle stay out of the log.
 */
export interface Explanation {
  /** Handle of the ledger; absent for a request to the server itself. */
  readonly ledger?: string;
  readonly action: string;
  /** A name from interface/access#record-names. */
  readonly record: string;
  /** Handle of the record, where the action is about one that has a handle. */
  readonly handle?: string;
  readonly granted: boolean;
  /** The rule that granted: its level, its index in its list or policy, the policy. Absent on a refusal. */
  readonly by?: Judgement['by'];
  /** Where a refused caller was stopped: at the ledger's gate, or by the rules about the action. */
  readonly stopped?: Judgement['stopped'];
}

/** Receives explanations. */
export type Explain = (explanation: Explanation) => void;

/** The log text of a decision. */
export function describeDecision({ granted, stopped }: Explanation): string {
  if (granted) return 'access granted';
  return stopped === 'gate' ? 'access refused: no rule opens the ledger' : 'access refused: no rule grants it';
}
