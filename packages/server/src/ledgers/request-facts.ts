import type { Caller } from '../access/caller.js';

/** What becomes known of a client's request while it is answered, for the access log. */
export interface RequestFacts {
  /** Handle of its ledger. */
  ledger?: string;
  who?: Who;
  /** Whether the last decision on access granted it; absent where none was made. */
  granted?: boolean;
  /** The reason of the error that answers it. */
  reason?: string;
}

/** The caller of a request. */
export interface Who {
  /** Handle of the signer that its key stands for. */
  readonly signer?: string;
  /** The beginning of its public key. */
  readonly key?: string;
  /** Whether that is the key of a factor of the signer. */
  readonly isFactor?: true;
}

/** Characters of a key: by them it is found among those of a deployment. */
const KEY_CHARACTERS = 12;

/** Notes who calls: for whom the token stands, else the first proof of a signer. */
export function noteCaller(facts: RequestFacts | undefined, { token, proofs }: Caller): void {
  if (!facts) return;
  const key = token?.key ?? proofs.find(({ signer }) => signer !== undefined) ?? proofs[0];
  if (!key) return;
  const { signer, retired, public: shown } = key;
  const handle = signer?.handle ?? retired;
  facts.who = {
    ...(handle === undefined ? {} : { signer: handle }),
    ...(shown === undefined ? {} : { key: shown.slice(0, KEY_CHARACTERS) }),
    ...(signer && shown !== undefined && shown !== signer.public ? { isFactor: true } : {}),
  };
}

/** Notes whether rules grant what is asked. @returns it */
export function noteDecision(facts: RequestFacts | undefined, granted: boolean): boolean {
  if (facts) facts.granted = granted;
  return granted;
}
