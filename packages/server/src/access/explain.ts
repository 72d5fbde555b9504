import type { Judgement } from './decide.js';

/**
 * A decision in words for the operator's log: what was asked, and what brought the outcome about. It holds names and
 * places only: no token, no key, nothing of what a record holds beside its handle.
 */
export interface Explanation {
  /** Handle of the ledger; absent for what is asked of the server itself. */
  readonly ledger?: string;
  readonly action: string;
  /** A name from interface/access#record-names. */
  readonly record: string;
  /** Handle of the record, where the action is about one that has a handle. */
  readonly handle?: string;
  readonly granted: boolean;
  /** The rule that granted: its level, its place in its list or policy, the policy. Absent when none did. */
  readonly by?: Judgement['by'];
  /** Where it was stopped when not granted: at the ledger's gate, or by the rules about the action. */
  readonly stopped?: Judgement['stopped'];
}

/** Takes explanations, where someone wants them. */
export type Explain = (explanation: Explanation) => void;

/** What the log says of a decision. */
export function told({ granted, stopped }: Explanation): string {
  if (granted) return 'access granted';
  return stopped === 'gate' ? 'access refused: no rule opens the ledger' : 'access refused: no rule grants it';
}
