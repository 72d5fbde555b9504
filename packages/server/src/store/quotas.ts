import { LedgerError } from '@countersign/protocol';
import type pg from 'pg';
import { LruCache } from '../base/lru-cache.js';
import type { NewDelivery, Write } from './committer/write.js';
import { type DiskSpace, UNWATCHED } from './disk-space.js';

/** What a ledger may store (interface/limits#stored-bytes). */
export const quotaLimits = {
  /** Ledgers whose stored bytes are known. */
  known: 10_000,
  fresh: {
    /** Milliseconds for which what a ledger stores counts as known, while that is less than half of its quota. */
    far: 10_000,
    /** Milliseconds for which it does when it is more. */
    near: 1_000,
    /** Part of a ledger's room that this process may store meanwhile. */
    part: 1 / 16,
  },
  /** Times the quota that records may take which the rules of the ledger are in. */
  rules: 1.1,
  /** Part of the quota up to which refusals are kept in the journal: strangers cause them, and must leave room for writes. */
  refusals: 0.9,
  /** Bytes that a drop may add to a version where there is no room. */
  end: 2 * 1024,
} as const;

/** What ledgers may store. */
export interface Quotas {
  /**
   * Asked before a write for a client is stored; undefined when it may be.
   *
   * @param mayExceed asked where the ledger would store more than it may: whether the write is stored all the same
   * @throws `api.rate-limit-exceeded` when the ledger would store more than it may (interface/limits#stored-bytes); DiskFull
   *   for a create that finds too little room for all ledgers
   */
  admit(write: Write, mayExceed?: MayExceed): Promise<void> | undefined;
  /**
   * Asked before a bridge stores what this ledger will: a refusal after that would leave the two apart.
   *
   * @param isNew for a create
   * @throws what `admit` throws
   */
  admitCall(ledger: number, isNew: boolean): Promise<void> | undefined;
  /** Counts a write that is stored in any case. */
  count(write: Write): void;
  /** Asked before a ledger is made. @throws DiskFull */
  admitLedger(): void;
  /** Whether there is room for what strangers have a ledger store. */
  hasRoomForRefusals(ledger: number): Promise<boolean>;
}

export type MayExceed = () => Promise<boolean>;

/** What a ledger stores, and may store. */
interface Storage {
  used: number;
  quota: number;
  /** Bytes that were left when the database was asked, and that this process has stored since. */
  room: number;
  added: number;
  /** Milliseconds of the clock at which the database was asked. */
  since: number;
  asked: Promise<void> | undefined;
}

/** For tests of the store alone. */
export const UNLIMITED: Quotas = {
  admit: () => undefined,
  admitCall: () => undefined,
  count() {},
  admitLedger() {},
  hasRoomForRefusals: async () => true,
};

/**
 * Compares with the quota what the database has, as of a moment ago, and what this process has stored since. So many
 * processes together may exceed it by what they write in that time.
 *
 * @param each bytes that a ledger may store unless an operator allows it otherwise
 * @param disk asked before every create
 * @param refused called for every write that is refused
 */
export function createQuotas(
  pool: pg.Pool,
  each: number = Number.POSITIVE_INFINITY,
  disk: Pick<DiskSpace, 'refusalOfNew'> = UNWATCHED,
  refused: () => void = () => {},
): Quotas {
  const assertRoomForNew = () => {
    if (disk.refusalOfNew) throw disk.refusalOfNew;
  };
  const now = () => performance.now();
  const known = new LruCache<number, Storage>(quotaLimits.known);

  const ask = async (ledger: number, storage: Storage) => {
    const { rows } = await pool.query<{ used: number; quota: number | null }>({
      name: 'quota',
      text: `select (coalesce((select s.bytes from storage s where s.ledger_id = $1::bigint), 0)
          + coalesce((select sum(u.bytes) from unsealed u where u.ledger_id = $1::bigint), 0))::bigint as used,
        (select s.quota from storage s where s.ledger_id = $1::bigint) as quota`,
      values: [ledger],
    });
    storage.used = rows[0]?.used ?? 0;
    storage.quota = rows[0]?.quota ?? each;
    storage.room = Math.max(0, storage.quota - storage.used);
    storage.added = 0;
    storage.since = now();
  };

  const renew = (ledger: number, storage: Storage): Promise<void> => {
    storage.asked ??= ask(ledger, storage).finally(() => {
      storage.asked = undefined;
    });
    return storage.asked;
  };

  const add = (storage: Storage, bytes: number) => {
    storage.used += bytes;
    storage.added += bytes;
  };
  const exceed = async (storage: Storage, bytes: number, mayExceed: MayExceed | undefined) => {
    if (await mayExceed?.()) return add(storage, bytes);
    refused();
    throw quotaExceeded(storage);
  };
  const sizeOf = (write: Write) => bytesOf(write) + secretBytesOf(write);
  const take = (storage: Storage, write: Write, mayExceed: MayExceed | undefined) => {
    const bytes = sizeOf(write);
    const quota = storage.quota * (write.bumpsRules ? quotaLimits.rules : 1);
    if (storage.used + bytes > quota) return exceed(storage, bytes, mayExceed);
    add(storage, bytes);
    return undefined;
  };

  const find = (ledger: number) => known.getOrSet(ledger, () => newStorage(each));
  /** Calls `look` with what the ledger stores. Where the figure is too old to decide by, it is read from the database first. */
  const whenKnown = (ledger: number, look: (storage: Storage) => Promise<void> | undefined) => {
    const storage = find(ledger);
    const isNear = storage.used > storage.quota / 2;
    const age = now() - storage.since;
    const { near, far, part } = quotaLimits.fresh;
    // Other processes may have added as much as this one: the less room is left, the sooner the database is asked.
    const isFresh = age < (isNear ? near : far) && storage.added <= storage.room * part;
    if (!isFresh && (isNear || storage.since === Number.NEGATIVE_INFINITY))
      return renew(ledger, storage).then(() => look(storage));
    // Far from the quota an old figure will do: it is renewed in the background.
    if (!isFresh) renew(ledger, storage).catch(() => {});
    return look(storage);
  };

  return {
    admitLedger: assertRoomForNew,
    admit(write, mayExceed) {
      if (write.action === 'create') assertRoomForNew();
      return whenKnown(write.ledger, (storage) => take(storage, write, mayExceed));
    },
    admitCall(ledger, isNew) {
      if (isNew) assertRoomForNew();
      return whenKnown(ledger, (storage) => {
        if (storage.used < storage.quota) return undefined;
        refused();
        throw quotaExceeded(storage);
      });
    },
    count: (write) => add(find(write.ledger), sizeOf(write)),
    async hasRoomForRefusals(ledger) {
      let hasRoom = false;
      await whenKnown(ledger, ({ used, quota }) => {
        hasRoom = used < quota * quotaLimits.refusals;
        return undefined;
      });
      return hasRoom && disk.refusalOfNew === undefined;
    },
  };
}

function newStorage(quota: number): Storage {
  return { used: 0, quota, room: 0, added: 0, since: Number.NEGATIVE_INFINITY, asked: undefined };
}

function quotaExceeded({ used, quota }: Storage): LedgerError {
  return new LedgerError(
    'api.rate-limit-exceeded',
    `The ledger stores ${used} bytes, and may store ${quota}. Erase dropped records, or ask the operator for more.`,
  );
}

/** Bytes of a row beside its texts; those of the function `stored_bytes`, which counts rows that are there (0020-storage). */
export const ROW_BYTES = 512;

/** Bytes that a write stores, as the quota of its ledger counts them, but for its secrets. */
export function bytesOf(write: Write): number {
  const { body, earlier = [], deliveries = [] } = write;
  const before = earlier.reduce((sum, one) => sum + ROW_BYTES + Buffer.byteLength(one.body), 0);
  return ROW_BYTES + Buffer.byteLength(body) + besideOf(write) + before + eventBytesOf(deliveries);
}

/** What lists filter a record by, as far as it is longer than the text. A dropped record is in no list. */
export function besideOf({ action, body, document }: Pick<Write, 'action' | 'body' | 'document'>): number {
  if (action === 'drop' || action === 'erase') return 0;
  return Math.max(0, Buffer.byteLength(document) - Buffer.byteLength(body));
}

/** Bytes of the secrets that a write stores, some of which may take the place of others. */
export function secretBytesOf({ secrets = [] }: Pick<Write, 'secrets'>): number {
  return secrets.reduce((sum, { sealed }) => sum + ROW_BYTES + sealed.length, 0);
}

function eventBytesOf(deliveries: readonly NewDelivery[]): number {
  return deliveries.reduce((sum, { event }) => sum + ROW_BYTES + Buffer.byteLength(event), 0);
}
