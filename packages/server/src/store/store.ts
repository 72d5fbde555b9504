import type pg from 'pg';
import { limits } from '../limits.js';
import { type Commit, createCommitter } from './commit.js';
import { gather } from './gather.js';
import { createHistory, type History } from './history.js';
import { createLedgerStore, type LedgerStore } from './ledgers.js';
import { createLinked, type Linked } from './linked.js';
import { createLists, type Listed, type ListQuery, type Lists } from './list.js';
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
  /** What the ledger itself lists to decide: no list of a client's keeps it waiting. */
  readonly find: Lists['page'];
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
  /** Of what clients list. How long a list takes is up to who asks for it: however many do, the others have theirs. */
  readonly lists: pg.Pool;
  readonly others: pg.Pool;
}

/**
 * Lists as clients ask for them: as many at a time as there are connections, and fewer of one ledger, so that its slow
 * ones leave room for another's.
 */
function admitted(lists: Lists): Lists {
  const { connections, listed, queue } = limits;
  const page = gather<ListQuery, Listed>(async ([query]) => [await lists.page(query!)], {
    batch: 1,
    queue,
    lanes: connections.lists,
    apart: ({ ledger }) => ledger,
    each: listed.atATime,
    abandoned: (query) => query.abandoned?.(),
  });
  return { ...lists, page };
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
    lists: admitted(createLists(lists)),
    find: createLists(pool).page,
    linked: createLinked(pool),
    secrets: createSecrets(pool),
    ledgers: createLedgerStore(pool),
    ping: async () => void (await pool.query(PING)),
  };
}
