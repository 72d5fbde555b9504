import { LruCache } from '../base/lru-cache.js';
import type { NewIntent } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import type { Outcome } from '../store/committer/write.js';
import type { OpenIntents, StoredOpenIntent } from '../store/money/open-intents.js';
import { Settler } from './settler.js';
import type { SettlerMeans } from './settler-means.js';
import { askNew, askOpen } from './waiting.js';

/** Decides on the intents of all ledgers that this process is the home of. */
export interface Engine {
  /**
   * Decides on a new intent, and stores it with all that follows at once (interface/intents#processing).
   *
   * @throws Elsewhere where another process that can be reached is the home of its ledger; what preparing and deciding
   *   throws, as `Session.commit` does
   */
  create(intent: NewIntent): Promise<Outcome>;
  /** The same, but where another process is the home it is accepted for the home to find in the database. */
  keep(intent: NewIntent): Promise<Outcome>;
  /** The other process that was the home of a ledger when this one asked last; undefined where none is known. */
  homeOf(ledger: number): string | undefined;
  /** Forgets which process is the home of a ledger: it was asked in vain. */
  forgetHome(ledger: number): void;
  /** Decides on an intent under way, and on its thread. @throws as `create` does */
  advance(session: Session, open: StoredOpenIntent): Promise<Outcome>;
  /** Lets go of all ledgers: another process may decide on their intents at once. */
  leave(): Promise<void>;
}

/** @param openIntents the intents under way */
export function createEngine(means: SettlerMeans, openIntents: OpenIntents): Engine {
  const kept = new Set<Settler>();
  const settlers = new LruCache<number, Settler>(limits.intents.ledgers, undefined, undefined, (one) =>
    kept.delete(one),
  );
  let rested = means.clock();
  const settlerOf = (ledger: number): Settler => {
    const now = means.clock();
    if (now > rested + limits.intents.home) {
      rested = now;
      for (const settler of kept) settler.rest();
    }
    return settlers.getOrSet(ledger, () => {
      const settler = new Settler(ledger, means);
      kept.add(settler);
      return settler;
    });
  };
  return {
    create: (intent) => settlerOf(intent.session.ledger.id).decide(askNew(intent, true)),
    keep: (intent) => settlerOf(intent.session.ledger.id).decide(askNew(intent, false)),
    homeOf: (ledger) => settlers.get(ledger)?.home.holder,
    forgetHome: (ledger) => settlers.get(ledger)?.home.askAnew(),
    advance: (session, open) => settlerOf(session.ledger.id).decide(askOpen(session, openIntents, open)),
    async leave() {
      const ledgers = [...kept].map(({ ledger }) => ledger);
      // Without the database the leases end by themselves.
      if (ledgers.length > 0) await means.homes.leave(ledgers).catch(() => {});
    },
  };
}
