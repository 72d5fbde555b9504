/** A timer that rings at the earliest moment it was set to, and not before `notBefore`. */
export class Alarm {
  /** Moment of the clock before which it does not ring. */
  notBefore = Number.NEGATIVE_INFINITY;
  readonly #clock: () => number;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param clock milliseconds since any moment */
  constructor(clock: () => number, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings in so many milliseconds, unless it rings before that anyway. */
  set(milliseconds: number): void {
    const now = this.#clock();
    const at = Math.max(now + milliseconds, this.notBefore);
    if (at >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(() => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#ring();
    }, at - now);
  }

  /** Rings no more, whatever it is set to. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Number.NEGATIVE_INFINITY;
  }
}
