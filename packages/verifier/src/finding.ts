/** What a rule of the verifier is about. */
export type FindingRule =
  /** The text is not one that a ledger writes: malformed, unknown members, another spelling of the same JSON. */
  | 'form'
  /** The hash is not that of the data. */
  | 'hash'
  /** A proof does not verify, or a proof that must be there is missing. */
  | 'proof'
  /** A proof is attributed to somebody whose key it is not. */
  | 'signer'
  /** A version does not follow from the one before. */
  | 'history'
  /** A version does not say what its proofs say: status, labels, owners, domain, moment. */
  | 'meta'
  /** The proofs of an intent are no trail. */
  | 'trail'
  /** Balances, movements or limits are not what the proofs of intents give. */
  | 'money'
  /** Records contradict one another. */
  | 'ledger'
  /** Changes are not the leaves of the ledger's log, or its checkpoints contradict one another. */
  | 'log'
  /** The file or answer is not whole. */
  | 'file';

/** Where something was found. */
export interface FindingPlace {
  readonly kind?: string;
  readonly luid?: string;
  readonly change?: number;
}

/** Something that a ledger would not have written. */
export interface Finding extends FindingPlace {
  readonly rule: FindingRule;
  /** In words; completes a sentence that begins with the place. */
  readonly detail: string;
}

/** Takes findings. */
export type ReportFinding = (place: FindingPlace, rule: FindingRule, detail: string) => void;

/** A finding as a sentence. */
export function formatFinding({ kind, luid, change, detail }: Finding): string {
  const record = luid === undefined ? '' : `${kind === undefined ? '' : `${kind} `}${luid}`;
  const place = change === undefined ? record : `change ${change} of ${record}`;
  return place === '' ? detail : `${place}: ${detail}`;
}
