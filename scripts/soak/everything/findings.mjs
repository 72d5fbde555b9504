/** Findings of one sort that are kept with their details. */
const KEPT = 20;

/** What failed for a known cause, and what must not have happened. */
export class Findings {
  /** Counts by cause and reason. */
  expected = new Map();
  /** Counts by what is wrong. */
  wrong = new Map();
  /** Details of the first ones. */
  details = [];

  /** A request that was not answered as it should be, and what caused it, if anything did. */
  failed(failure, cause) {
    if (cause === undefined) {
      const what = failure.kind === 'connection' ? 'connection lost without a cause' : 'error without a cause';
      this.add(`${what}: ${failure.why}`, `${failure.method} ${failure.path}, ${failure.ended - failure.began} ms`);
      return;
    }
    const name = `${cause}: ${failure.why}`;
    this.expected.set(name, (this.expected.get(name) ?? 0) + 1);
  }

  /** Something that must not be. */
  add(what, detail) {
    const count = (this.wrong.get(what) ?? 0) + 1;
    this.wrong.set(what, count);
    if (count <= KEPT) this.details.push(`${new Date().toISOString()} ${what}: ${detail}`);
  }

  get count() {
    return [...this.wrong.values()].reduce((sum, one) => sum + one, 0);
  }
}
