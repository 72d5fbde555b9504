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

export function createStore(pool: pg.Pool): Store {
  return {
    commit: createCommitter(pool),
    lookup: createLookup(pool),
    signers: createSignerLookup(pool),
    history: createHistory(pool),
    lists: createLists(pool),
    linked: createLinked(pool),
    secrets: createSecrets(pool),
    ledgers: createLedgerStore(pool),
    ping: async () => void (await pool.query('select 1')),
  };
}
