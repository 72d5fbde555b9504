/** Hints to other processes. */
export type Hints = ReturnType<typeof createHints>;

/**
 * Gathers hints: the first one of a name is sent at once, and those within so many milliseconds after it as one.
 * PostgreSQL commits transactions with a notification one at a time, so they must be few.
 */
export function createHints(milliseconds: number, send: (name: string) => void) {
  /** Names sent a moment ago, each with its timer and whether it is wanted again. */
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
    send(name: string): void {
      const recent = sent.get(name);
      if (recent) recent.again = true;
      else now(name);
    },
    stop(): void {
      for (const { timer } of sent.values()) clearTimeout(timer);
      sent.clear();
    },
  };
}
