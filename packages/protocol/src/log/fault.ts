/**
 * Why something of a log is refused: `malformed`, it has another form; `too-long`, it is beyond a limit; `unverified`, a
 * signature, a proof or a quorum does not hold.
 */
export type LogFault = 'malformed' | 'too-long' | 'unverified';

/** A text, a tile or a proof of a log that is refused. Every parser of this folder throws this, and nothing else. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly reason: LogFault;
  readonly detail: string;

  /** `detail` is text for people. */
  constructor(reason: LogFault, detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}
