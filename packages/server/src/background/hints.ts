/** Hints that go out to other processes. */
export interface Hints {
  send(name: string): void;
  stop(): void;
}

/**
 * Gathers hints: the first one of a name is sent at once, and those that come within so many milliseconds of it as one.
 * PostgreSQL lets transactions with a notification commit one after the other, so there must be few of them.
 */
export function createHints(milliseconds: number, send: (name: string) => void): Hints {
  /** Names that were sent a moment ago, with their timers, and whether they are wanted again. */
  const sent = new Map<string, { timer: NodeJS.Timeout; again: boolean }>();
  const now = (name: string) => {
    send(name);
    const timer = setTimeout(() => {
      const { again } = sent.get(name)!;
      sent.delete(name);
      if (again) now(name);
    }, milliseconds);
    sent.set(name, { timer, again: false });
  };
  return {
    send(name) {
      const recent = sent.get(name);
      if (recent) recent.again = true;
      else now(name);
    },
    stop() {
      for (const { timer } of sent.values()) clearTimeout(timer);
      sent.clear();
    },
  };
}
