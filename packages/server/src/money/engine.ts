import { LruCache } from '../base/lru-cache.js';
import type { NewIntent } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import type { Outcome } from '../store/committer/write.js';
import type { OpenIntents, StoredOpenIntent } from '../store/money/open-intents.js';
import { newItem, openItem } from './items.js';
import { Settler } from './settler.js';
import type { SettlerMeans } from './settler-means.js';

/** Decides on the intents of all ledgers that this process is the home of. */
export interface Engine {
  /**
   * Stores a new intent, decided on by the home of its ledger where that can be reached (interface/intents#processing).
   *
   * @throws what preparing and deciding throws, as `Session.commit` does
   */
  create(intent: NewIntent): Promise<Outcome>;
  /** The same of one that another process has handed over. @throws NotHome where this process is not the home */
  take(intent: NewIntent): Promise<Outcome>;
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
    create: (intent) => settlerOf(intent.session.ledger.id).decide(newItem(intent, false)),
    take: (intent) => settlerOf(intent.session.ledger.id).decide(newItem(intent, true)),
    advance: (session, open) => settlerOf(session.ledger.id).decide(openItem(session, openIntents, open)),
    async leave() {
      const ledgers = [...kept].map(({ ledger }) => ledger);
      // Without the database the leases end by themselves.
      if (ledgers.length > 0) await means.homes.leave(ledgers).catch(() => {});
    },
  };
}
