import { luid } from '@countersign/protocol';
import type pg from 'pg';
import type { Runtime } from '../base/clock.js';
import { LruCache } from '../base/lru-cache.js';
import type { NewIntent } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import type { Metrics } from '../metrics.js';
import type { WriteOutcome } from '../store/committer/write.js';
import { createLeaders } from '../store/money/leaders.js';
import type { OpenIntents, StoredOpenIntent } from '../store/money/open-intents.js';
import type { Store } from '../store/store.js';
import type { Tracing } from '../tracing/tracing.js';
import { createSequencerMetrics, watchOpenIntents } from './metrics.js';
import { createRecordCache } from './plan/known-records.js';
import { Sequencer } from './sequencer.js';
import type { SequencerDeps } from './sequencer-deps.js';
import { sequencerLimits } from './sequencer-limits.js';
import { askNew, askOpen } from './waiting.js';

/** What this process decides on intents with. */
export type Money = ReturnType<typeof createMoney>;

/** Decides on the intents of all ledgers that this process is the leader of. */
export type Engine = ReturnType<typeof createEngine>;

export interface MoneyDeps
  extends Pick<SequencerDeps, 'signing' | 'holder' | 'moments' | 'reaches' | 'accepted' | 'queued' | 'drain'> {
  readonly store: Pick<Store, 'settle' | 'loadBooks' | 'openIntents'>;
  readonly runtime: Runtime;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
}

export function createMoney(pool: pg.Pool, deps: MoneyDeps) {
  const { store, runtime, metrics, tracing, ...others } = deps;
  const { openIntents } = store;
  watchOpenIntents(metrics, openIntents.count, runtime.now);
  const sequencerDeps: SequencerDeps = {
    ...others,
    load: store.loadBooks,
    records: createRecordCache(),
    leaders: createLeaders(pool, deps.holder),
    store: (settlement) => tracing.root('settle batch', () => store.settle(settlement)),
    clock: () => performance.now(),
    newLuid: () => luid('wbl', Math.floor(runtime.now() / 1000), runtime.random(11)),
    metrics: createSequencerMetrics(metrics),
  };
  return { engine: createEngine(sequencerDeps, openIntents), openIntents };
}

/** @param openIntents the intents under way */
function createEngine(deps: SequencerDeps, openIntents: OpenIntents) {
  const kept = new Set<Sequencer>();
  const sequencers = new LruCache<number, Sequencer>(sequencerLimits.ledgers, undefined, undefined, (one) =>
    kept.delete(one),
  );
  let rested = deps.clock();
  const sequencerOf = ({ ledger }: Session): Sequencer => {
    const now = deps.clock();
    if (now > rested + sequencerLimits.lease) {
      rested = now;
      for (const sequencer of kept) sequencer.rest();
    }
    return sequencers.getOrSet(ledger.id, () => {
      const sequencer = new Sequencer(ledger.id, deps);
      kept.add(sequencer);
      return sequencer;
    });
  };
  return {
    /**
     * Decides on a new intent, and stores it with all that follows at once (interface/intents#processing).
     *
     * @throws Elsewhere where another process that can be reached is the leader of its ledger; what planning and deciding
     *   throws, as `Session.commit` does
     */
    create: (intent: NewIntent): Promise<WriteOutcome> => sequencerOf(intent.session).decide(askNew(intent, true)),
    /** The same, but where another process is the leader it is accepted for the leader to find in the database. */
    keep: (intent: NewIntent): Promise<WriteOutcome> => sequencerOf(intent.session).decide(askNew(intent, false)),
    /** The other process that was the leader of a ledger when this one asked last; undefined where none is known. */
    leaderOf: (ledger: number): string | undefined => sequencers.get(ledger)?.leadership.holder,
    /** Forgets which process is the leader of a ledger: it was asked in vain. */
    forgetLeader: (ledger: number): void => sequencers.get(ledger)?.leadership.askAnew(),
    /** Decides on an intent under way, and on its thread. @throws as `create` does */
    advance: (session: Session, open: StoredOpenIntent): Promise<WriteOutcome> =>
      sequencerOf(session).decide(askOpen(session, openIntents, open)),
    /** Lets go of all ledgers: another process may decide on their intents at once. While it drains, this one leads none again. */
    async leave(): Promise<void> {
      const ledgers = [...kept].map(({ ledger }) => ledger);
      // Without the database the leases end by themselves.
      if (ledgers.length > 0) await deps.leaders.leave(ledgers).catch(() => {});
    },
  };
}
