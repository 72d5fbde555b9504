/** Part of all requests, and of those of one minute, that may be answered 408 without a cause; and as many of a minute as are no stall. */
const PART = { all: 0.01, minute: 0.1 };
const FEW = 10;

const MINUTE = 60_000;

/** Requests that were answered 408 for no cause that is known: a few say that the machine is slow, many that the server stalls. */
export class Slowness {
  /** `{ sent, slow }` by minute since 1970, in which each was sent. */
  #minutes = new Map();

  /** A request that was sent at a moment, in milliseconds since 1970. */
  sent(moment) {
    this.#of(moment).sent += 1;
  }

  /** One of those sent at that moment took too long. */
  slow(moment) {
    this.#of(moment).slow += 1;
  }

  /** Adds a finding when they are too many in all, and for each minute of which they are too many. */
  judge(findings) {
    const all = { sent: 0, slow: 0 };
    for (const [minute, { sent, slow }] of this.#minutes) {
      all.sent += sent;
      all.slow += slow;
      if (slow > Math.max(FEW, PART.minute * sent))
        findings.add(
          'requests of a minute took too long',
          `${slow} of ${sent} at ${new Date(minute * MINUTE).toISOString()}`,
        );
    }
    if (all.slow > PART.all * all.sent)
      findings.add(
        'too many requests took too long: the server stalls, or the rate is too high',
        `${all.slow} of ${all.sent}`,
      );
  }

  #of(moment) {
    const minute = Math.floor(moment / MINUTE);
    if (!this.#minutes.has(minute)) this.#minutes.set(minute, { sent: 0, slow: 0 });
    return this.#minutes.get(minute);
  }
}
