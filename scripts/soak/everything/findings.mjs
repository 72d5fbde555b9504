/** Findings of one sort that are kept with their details. */
const KEPT = 20;

const UNCAUSED = {
  connection: 'connection lost without a cause',
  silent: 'a request is not answered',
  answer: 'error without a cause',
};

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
      this.add(
        `${UNCAUSED[failure.kind]}: ${failure.why}`,
        `${failure.method} ${failure.path}, ${failure.ended - failure.began} ms`,
      );
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

  /** Does work; what it throws is a finding. @returns what it returns, or nothing */
  async of(what, work) {
    try {
      return await work();
    } catch (error) {
      this.add(`${what} has failed`, error.stack ?? String(error));
      return undefined;
    }
  }

  get count() {
    return [...this.wrong.values()].reduce((sum, one) => sum + one, 0);
  }
}
