import { LedgerError } from '@countersign/protocol';
import { Overloaded } from '../base/gather.js';
import type { KindName } from '../kinds/kind.js';
import { limits } from '../limits.js';
import type { Write } from '../store/committer/write.js';
import type { StoredChange, Versioned } from '../store/queries/history.js';
import type { FoundSigner } from '../store/queries/signers.js';
import type { Version } from '../store/queries/version.js';
import { type KnownSigners, knownSigners } from './known-signers.js';
import { isOwn, type Ledger } from './ledger.js';
import type { Service } from './service.js';

/**
 * One attempt to decide something on one state of a ledger: the state, the reads that are checked against it, and the
 * commit. A read that tells of another version of the ledger throws `OutOfDate`, and `inSession` decides anew.
 */
export interface Session extends Service {
  /** The state that this attempt decides on. It never changes. */
  readonly ledger: Ledger;
  /** Whether it is the ledger itself that asks, by a worker and under its own keys. No request of a client's is. */
  readonly isOwn?: true;
  /** Signers by public key, remembered for as long as the state is current. */
  readonly signers: KnownSigners;
  /**
   * Keys that this attempt takes for nobody's. A signer may be registered without a new version of the ledger, so the
   * commit, or the refusal, makes sure that they still are.
   */
  readonly strangers: Set<string>;
  /** The current version of a record of the ledger, or nothing. */
  lookup(kind: KindName, id: string, by: 'handle' | 'luid'): Promise<Version | undefined>;
  /** The signer that a key or handle leads to. */
  lookupSigner(key: string, by: 'public' | 'handle'): Promise<FoundSigner>;
  /** One version of a record, dropped or not. */
  lookupChange(of: Omit<Versioned, 'ledger'>, change: number): Promise<StoredChange | undefined>;
  /** Passes on what a read of the store found, when it was found in this state. */
  checked<T extends { readonly version: number }>(found: T): T;
  /** Asks the database whether this state is still current. @throws OutOfDate */
  assertStillCurrent(): Promise<void>;
  /**
   * Stores a write.
   *
   * @returns `done`; `duplicated` when its key is taken, `reused` for a create with a proof that made another record
   * @throws OutOfDate when something it was decided on has changed; `record.invalid` for a change with a proof that was
   *   used for another record
   */
  commit(write: Decided): Promise<'done' | 'duplicated' | 'reused'>;
}

/** A write as an operation decides it. The session adds the strangers, the store's authentication code is made from it. */
export type Decided = Omit<Write, 'strangers' | 'mac'>;

/** The state that a decision rests on is not the ledger's current one: the decision is made anew. */
export class OutOfDate extends Error {
  /**
   * @param version the ledger's version seen when that was noticed
   * @param decides whether what was decided would itself have changed the rules
   */
  constructor(
    readonly version: number,
    readonly decides = false,
  ) {
    super('Decided on a state that has changed.');
  }
}

/**
 * What a write is told that carries a proof which was used for another record: whoever reads a record could otherwise
 * send its proofs again, and have done in the signer's name what it did not ask for.
 */
export function reused(): LedgerError {
  return new LedgerError(
    'record.invalid',
    'A proof in the request was used for another record. Sign anew, with a custom.moment of its own.',
  );
}

/**
 * Runs `work` in a session on the ledger's current state, and again on a newer one each time that state turns out to be
 * out of date (optimistic concurrency). Every run decides from scratch, so a revocation that came between is honoured,
 * and so is a grant.
 *
 * Writes that change the rules are stored one at a time. Those that lose the race take the ledger's mutex before they
 * are decided anew: else each would be decided as often as there are others.
 *
 * @param given a session on the state to begin with
 * @throws what `work` throws; Overloaded when the state changes too fast, or for longer than anybody waits for the answer
 */
export async function inSession<T>(given: Session, work: Work<T>): Promise<T> {
  const { runtime, ledgers, ledgerMutex, store } = given;
  const deadline = runtime.now() + given.requestTimeout;
  let state = given.ledger;
  let attempts = 0;
  /** Until it is done; or, without the mutex, until it needs that. */
  const attempt = async (hasMutex: boolean): Promise<{ done: T } | undefined> => {
    while (attempts < limits.attempts && runtime.now() <= deadline) {
      attempts += 1;
      const outcome = await attempted(openSession(given, state), work);
      if ('done' in outcome) return outcome;
      if (outcome.decides && !hasMutex) return undefined;
      state = await ledgers.renew(state, outcome.version);
    }
    throw new Overloaded('The state of a ledger is changing too fast.');
  };
  const atOnce = await attempt(false);
  if (atOnce) return atOnce.done;
  return ledgerMutex.runExclusive(state.id, async () => {
    state = await ledgers.renew(state, await store.ledgers.version(state.id));
    const inTurn = await attempt(true);
    return inTurn!.done;
  });
}

type Work<T> = (session: Session) => Promise<T>;

/** A session on that state of the ledger, which may have passed: what is read and committed in it tells. */
export function openSession(service: Service, ledger: Ledger): Session {
  const { store } = service;
  const { id } = ledger;
  const signers = knownSigners(ledger);
  const strangers = new Set<string>();
  const assertCurrent = (version: number) => {
    if (version !== ledger.version) throw new OutOfDate(version);
  };
  const checked = <T extends { readonly version: number }>(found: T): T => {
    assertCurrent(found.version);
    return found;
  };
  return {
    ...service,
    ledger,
    signers,
    strangers,
    checked,
    async lookup(kind, key, by) {
      return checked(await store.lookup({ ledger: id, kind, id: key, by })).record;
    },
    async lookupSigner(key, by) {
      return checked(await store.signers({ ledger: id, key, by }));
    },
    async lookupChange(of, change) {
      return checked(await store.history.one({ ledger: id, ...of }, change)).change;
    },
    async assertStillCurrent() {
      assertCurrent(await store.ledgers.version(id));
    },
    async commit(write) {
      const mac = service.integrity.mac(write, write);
      const { result, version } = await store.commit({ ...write, strangers: [...strangers], mac });
      // Whoever was a stranger may have registered meanwhile, and whose key was just stored is a stranger no more.
      if (result === 'stale') for (const key of strangers) signers.delete(key);
      if (result === 'done' && write.link !== undefined) signers.delete(write.link);
      if (result === 'stale') throw new OutOfDate(version, write.decides);
      if (result === 'reused' && write.action !== 'create') throw reused();
      return result;
    },
  };
}

/**
 * A session in which the ledger itself asks, as for a schedule. What its own keys sign counts as the client's, and no rule
 * is asked: its rules are for others. Everything else is checked as ever.
 */
export function openOwnSession(service: Service, ledger: Ledger): Session {
  return { ...openSession(service, ledger), isOwn: true };
}

/**
 * Whether a key is one of the ledger's own and stands for nobody: what the ledger has signed is known to bridges, and to
 * whoever reads a record, so in a request of a client's it shows nothing of who sends it.
 */
export function isNobodys({ ledger, isOwn: own }: Session, key: string): boolean {
  return own !== true && isOwn(ledger, key);
}

/** What is to be decided anew, on that version of the ledger or a later one. */
interface Retry {
  readonly version: number;
  readonly decides: boolean;
}

async function attempted<T>(session: Session, work: Work<T>): Promise<{ done: T } | Retry> {
  try {
    return { done: await work(session) };
  } catch (error) {
    if (error instanceof OutOfDate) return error;
    const version = await versionToRetry(session, error);
    if (version === undefined) throw error;
    return { version, decides: false };
  }
}

/**
 * The ledger's version when a refusal rests on a state that has passed; nothing when the error stands. What is let
 * through is checked by its commit, or by the read that answers it; nothing has checked yet what is refused: another
 * process may have changed the rules, made the domain or schema that was missed, or registered the caller.
 */
async function versionToRetry(session: Session, error: unknown): Promise<number | undefined> {
  if (!(error instanceof LedgerError) || error.status >= 500 || error.reason === 'api.request-timeout')
    return undefined;
  const { ledger, signers, store } = session;
  const [version, registered] = await Promise.all([store.ledgers.version(ledger.id), registeredAmong(session)]);
  for (const key of registered) signers.delete(key);
  return version === ledger.version && registered.length === 0 ? undefined : version;
}

/** Those of the keys taken for nobody's that a signer or factor has now. */
async function registeredAmong({ ledger, strangers, store }: Session): Promise<string[]> {
  const found = await Promise.all(
    [...strangers].map(async (key) => ({ key, ...(await store.signers({ ledger: ledger.id, key, by: 'public' })) })),
  );
  return found.flatMap(({ key, body }) => (body === undefined ? [] : [key]));
}
