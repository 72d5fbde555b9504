/** Milliseconds above which a transfer is late, by the bar of the scheme. */
export const LATE = 1_000;

/** Collects how long things took, by the second in which they ended and over all. */
export class Seconds {
  #current = [];
  #all = [];
  #begun = undefined;

  add(milliseconds) {
    this.#current.push(milliseconds);
  }

  /** What happened since it was last asked: `{ count, p50, p99, greatest }`. */
  next() {
    const values = Float32Array.from(this.#current);
    this.#current = [];
    if (this.#begun) this.#all.push(values);
    return summaryOf(values);
  }

  /** From now on everything counts for `all`. */
  begin() {
    this.#current = [];
    this.#all = [];
    this.#begun = true;
  }

  /** All since `begin`, what is not told yet included. */
  all() {
    const parts = [...this.#all, Float32Array.from(this.#current)];
    const values = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      values.set(part, at);
      at += part.length;
    }
    return summaryOf(values);
  }
}

/** @param values of milliseconds; sorted in place */
function summaryOf(values) {
  values.sort();
  const at = (share) =>
    values.length === 0 ? 0 : values[Math.min(values.length - 1, Math.floor(values.length * share))];
  let late = 0;
  for (let index = values.length - 1; index >= 0 && values[index] > LATE; index -= 1) late += 1;
  return { count: values.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), greatest: at(1), late };
}
