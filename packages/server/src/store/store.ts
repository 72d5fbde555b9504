import type pg from 'pg';
import { type Commit, createCommitter } from './commit.js';
import { createHistory, type History } from './history.js';
import { createLedgerStore, type LedgerStore } from './ledgers.js';
import { createLinked, type Linked } from './linked.js';
import { createLists, type Lists } from './list.js';
import { createLookup, type Lookup } from './lookup.js';
import { createSecrets, type Secrets } from './secrets.js';
import { createSignerLookup, type SignerLookup } from './signers.js';

/** All that touches the database. */
export interface Store {
  readonly commit: Commit;
  readonly lookup: Lookup;
  readonly signers: SignerLookup;
  readonly history: History;
  readonly lists: Lists;
  readonly linked: Linked;
  readonly secrets: Secrets;
  readonly ledgers: LedgerStore;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
}

/** Whoever asks has a patience of seconds: no answer in time is an answer. */
const PING = { text: 'select 1', query_timeout: 2_000 };

/** Connections to the database, by what they are for. */
export interface Pools {
  /** Of lists alone. How long a list takes is up to who asks for it: however many do, the others have theirs. */
  readonly lists: pg.Pool;
  readonly others: pg.Pool;
}

/** @param batched told of every batch, by what it is a batch of */
export function createStore(
  { lists, others: pool }: Pools,
  batched?: (of: string, size: number, waited: number) => void,
): Store {
  const watch = (of: string) => batched && ((size: number, waited: number) => batched(of, size, waited));
  return {
    commit: createCommitter(pool, watch('commit')),
    lookup: createLookup(pool, watch('lookup')),
    signers: createSignerLookup(pool),
    history: createHistory(pool),
    lists: createLists(lists),
    linked: createLinked(pool),
    secrets: createSecrets(pool),
    ledgers: createLedgerStore(pool),
    ping: async () => void (await pool.query(PING)),
  };
}
