/** A timer that rings at the earliest moment it was set to, but not before `notBefore`. */
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

  /** Rings in so many milliseconds, unless an earlier moment is set. */
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

  /** Stops for good: later settings are ignored. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Number.NEGATIVE_INFINITY;
  }
}
