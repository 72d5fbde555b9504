import type pg from 'pg';
import { gatherLimits } from '../base/gather.js';
import type { LedgerClock } from '../base/ledger-clock.js';
import { createCommitter, createSettling } from './committer/commit.js';
import { createLabeled } from './committer/labeled.js';
import type { Settled, Settlement } from './committer/settlement.js';
import type { Write, WriteOutcome } from './committer/write.js';
import { databaseLimits } from './database-limits.js';
import { createErasing, type Erasure } from './erasure.js';
import { createJournalStore, type JournalStore } from './journal/entries.js';
import { createJournalLists } from './journal/lists.js';
import { createLoadBooks } from './money/books.js';
import { createHolds } from './money/holds.js';
import { createOpenIntents } from './money/open-intents.js';
import { createMoneyLists } from './money/rows.js';
import { createDeliveryLists } from './outbox/delivery-list.js';
import { createDeliveryRetries, type DeliveryRetries } from './outbox/delivery-retries.js';
import { createAdmission } from './queries/admission.js';
import { type Bodies, createBodies } from './queries/bodies.js';
import { createHistory, createHistoryPage } from './queries/history.js';
import { createLedgerStore, type LedgerStore } from './queries/ledgers.js';
import { createLinked } from './queries/linked.js';
import { createLists, type Lists } from './queries/list.js';
import { createLookup } from './queries/lookup.js';
import { queryLimits } from './queries/query-limits.js';
import { createSecrets } from './queries/secrets.js';
import { createSignerLookup } from './queries/signers.js';
import type { Queryable } from './queries/statement.js';
import { createUsedProofs } from './queries/used-proofs.js';
import { type Check, checkFetched, type ReadGuards } from './queries/version.js';
import { type Quotas, UNLIMITED } from './quotas.js';
import { transaction } from './transaction.js';
import { createWriteGate, type WriteGate } from './writes-refused.js';

/** All access to the database. */
export type Store = ReturnType<typeof createStore>;

/** Connections to the database, by what they are for. */
export interface Pools {
  /** For clients' lists. These may take long, so they have connections of their own, and leave the others free. */
  readonly lists: pg.Pool;
  readonly others: pg.Pool;
}

/** Reads of many records on behalf of clients. */
export type Listings = ReturnType<typeof listings>;

function listings(on: Queryable) {
  return {
    ...createLists(on),
    history: createHistoryPage(on),
    bodies: createBodies(on),
    deliveries: createDeliveryLists(on),
    money: createMoneyLists(on),
    journal: createJournalLists(on),
  };
}

/**
 * Lists on behalf of clients: as many at a time as there are connections, fewer of one ledger, and slow ones apart.
 *
 * @param pool whose statements are canceled after `queryLimits.listed.quick` milliseconds
 */
function admitLists(pool: pg.Pool): Listings {
  const { connections } = databaseLimits;
  const { listed } = queryLimits;
  const { queue } = gatherLimits;
  const admit = createAdmission({ ...listed, concurrency: connections.lists, queue });
  const quick = listings(pool);
  const slow = listings(withTimeout(pool, databaseLimits.listing));
  const inTurn = <T>(ledger: unknown, read: (lists: Listings) => Promise<T>, abandoned?: () => Error | undefined) =>
    admit(
      ledger,
      () => read(quick),
      () => read(slow),
      abandoned,
    );
  return {
    page: (query) => inTurn(query.ledger, (lists) => lists.page(query), query.abandoned),
    index: (query) => inTurn(query.ledger, (lists) => lists.index(query), query.abandoned),
    // Queued by key: what a key owns crosses ledgers.
    ledgers: (query) => inTurn(query.owner, (lists) => lists.ledgers(query)),
    history: (of, page) => inTurn(of.ledger, (lists) => lists.history(of, page)),
    bodies: (query) => inTurn(query.ledger, (lists) => lists.bodies(query)),
    deliveries: {
      page: (query) => inTurn(query.ledger, ({ deliveries }) => deliveries.page(query)),
      named: (query) => inTurn(query.ledger, ({ deliveries }) => deliveries.named(query)),
      versions: (query) => inTurn(query.ledger, ({ deliveries }) => deliveries.versions(query)),
    },
    money: {
      balances: (query) => inTurn(query.ledger, ({ money }) => money.balances(query)),
      limits: (query) => inTurn(query.ledger, ({ money }) => money.limits(query)),
    },
    journal: {
      page: (query) => inTurn(query.ledger, ({ journal }) => journal.page(query)),
      one: (ledger, handle) => inTurn(ledger, ({ journal }) => journal.one(ledger, handle)),
    },
  };
}

/** The pool with more time for each statement. */
function withTimeout(pool: pg.Pool, milliseconds: number): Queryable {
  return {
    query: (statement) =>
      transaction(pool, async (client) => {
        await client.query(`set local statement_timeout = ${milliseconds}`);
        return client.query(statement);
      }),
  };
}

/** Lists that the ledger itself needs for a decision: verified, and outside the queue of clients' lists. */
function checkReads(on: Queryable, check: Check): { find: Lists['page']; bodies: Bodies } {
  const lists = createLists(on);
  const bodies = createBodies(on);
  return {
    async find(query) {
      const page = await lists.page(query);
      await checkFetched(check, query, page.records);
      return page;
    },
    async bodies(query) {
      const found = await bodies(query);
      await checkFetched(check, query, found);
      return found;
    },
  };
}

interface WriteGates {
  readonly writes: WriteGate;
  readonly journalWrites: WriteGate;
}

/**
 * @param guards verify what is read
 * @param batched called for every batch, with its kind
 * @param gates asked before every write: they throw while none is taken, as when space has run out
 * @param stored called after changes were stored
 * @param moments those of ledgers: it is told of the last ones
 * @param quotas what ledgers may store: asked by those who write for clients
 */
export function createStore(
  { lists, others: pool }: Pools,
  guards: ReadGuards,
  batched?: (of: string, size: number, waited: number) => void,
  { writes, journalWrites }: WriteGates = { writes: createWriteGate(), journalWrites: createWriteGate() },
  stored: () => void = () => {},
  moments?: LedgerClock,
  quotas: Quotas = UNLIMITED,
) {
  const watch = (of: string) => batched && ((size: number, waited: number) => batched(of, size, waited));
  const commit = createCommitter(pool, watch('commit'), moments);
  const settle = createSettling(pool);
  const erase = createErasing(pool);
  const ledgers = createLedgerStore(pool, guards);
  const findVersion = createLookup(pool, guards, watch('lookup'));
  const retries = createDeliveryRetries(pool);
  const journal = createJournalStore(pool);
  return {
    async commit(write: Write): Promise<WriteOutcome> {
      const outcome = await writes.pass(() => commit(write));
      if (outcome.newest) moments?.saw(write.ledger, outcome.newest);
      stored();
      return outcome;
    },
    /** Stores decisions on intents, all of them or none. @throws what the database throws: the outcome is then unknown */
    async settle(settlement: Settlement): Promise<Settled> {
      const settled = await writes.pass(() => settle(settlement));
      stored();
      return settled;
    },
    /** Stores that a record is erased, and forgets it. @throws Unsealed while a leaf of it waits to be sealed */
    async erase(erasure: Erasure): Promise<WriteOutcome> {
      const outcome = await writes.pass(() => erase(erasure));
      stored();
      return outcome;
    },
    quotas,
    /** Asked before a bridge stores what this server will. @throws WritesRefused */
    assertWrites: writes.assert,
    loadBooks: createLoadBooks(pool),
    openIntents: createOpenIntents(pool),
    findVersion,
    signers: createSignerLookup(pool, guards, findVersion),
    history: createHistory(pool, guards),
    /** Lists that clients request; ledgers take turns. */
    lists: admitLists(lists),
    ...checkReads(pool, guards.check),
    linked: createLinked(pool, guards),
    labeled: createLabeled(pool),
    holds: createHolds(withTimeout(pool, databaseLimits.listing)),
    secrets: createSecrets(pool),
    usedProofs: createUsedProofs(pool),
    journal: {
      ...journal,
      insert: (...entries: Parameters<JournalStore['insert']>) => journalWrites.pass(() => journal.insert(...entries)),
      trim: (...of: Parameters<JournalStore['trim']>) => journalWrites.pass(() => journal.trim(...of)),
    },
    retries: {
      request: (retry: Parameters<DeliveryRetries['request']>[0]) => writes.pass(() => retries.request(retry)),
      resend: (retry: Parameters<DeliveryRetries['resend']>[0]) => writes.pass(() => retries.resend(retry)),
    },
    ledgers: {
      ...ledgers,
      async create(...[ledger, births, invitation]: Parameters<LedgerStore['create']>) {
        const made = await writes.pass(async () => {
          quotas.admitLedger();
          return ledgers.create(ledger, births, invitation);
        });
        stored();
        return made;
      },
    },
  };
}
