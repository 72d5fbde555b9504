/** PostgreSQL cannot run on this machine, or not in this way. */
export class CannotRunHere extends Error {
  override readonly name = 'CannotRunHere';
  readonly #reason: string;
  readonly #remedies: readonly string[];

  /**
   * @param reason the beginning of the message
   * @param remedies what the operator can do, any one of which is enough
   */
  constructor(reason: string, ...remedies: string[]) {
    super(remedies.length === 0 ? reason : `${reason}: ${remedies.join(', or ')}`);
    this.#reason = reason;
    this.#remedies = remedies;
  }

  /** The same error with one more remedy. */
  or(remedy: string): CannotRunHere {
    return new CannotRunHere(this.#reason, ...this.#remedies, remedy);
  }
}
