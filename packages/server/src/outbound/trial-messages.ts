/** A host to try. */
export interface TriedHost {
  /** Whose call leads to it: that pays for the time. */
  readonly ledger: number;
  /** Its name and port. */
  readonly host: string;
  /** The IP address that a connection was let lead to. */
  readonly address: string;
  readonly port: number;
  /** Absent where the host is named by its address. */
  readonly servername?: string;
}

/** A message to the thread. */
export interface TrialMessage extends TriedHost {
  /** Names the message in its answer. */
  readonly number: number;
}

/** What a trial has found. */
export type TrialResult =
  /** Milliseconds of processor time that a handshake takes, whether or not its certificates hold. */
  | { readonly spent: number }
  /** There was no handshake. */
  | { readonly failed: { readonly message: string; readonly code: string } }
  /** Milliseconds until the host may be tried again: it or the ledger rests, or the thread found no time. */
  | { readonly resting: number };

/** The answer to a message. */
export interface TrialAnswer {
  readonly number: number;
  readonly result: TrialResult;
}

/** What the thread is started with. */
export interface TrialSettings {
  /** PEM of the authorities that services are verified by; those of Node.js unless given. */
  readonly ca?: string;
  /** Milliseconds that a handshake may take. */
  readonly timeout: number;
}
