import { LedgerError } from '@countersign/protocol';
import { Overloaded } from '../base/gather.js';
import { RetryLater } from '../base/retry-later.js';
import { refuseKeyless } from '../keys/countersigner.js';
import { namesKept } from '../kinds/erasable.js';
import { isInUse } from '../kinds/in-use.js';
import { kindNamed } from '../kinds/registry.js';
import type { Write } from '../store/committer/write.js';
import { getKnownSigners } from './known-signers.js';
import type { Ledger } from './ledger.js';
import type { DecidedWrite, Service, Session } from './service.js';
import { stateLimits } from './state-limits.js';
import { LedgerSuspended } from './suspension.js';

export type { DecidedWrite, Session };

/** The state that a decision rests on is out of date: the decision is made anew. */
export class OutOfDate extends Error {
  /**
   * @param version the ledger's version seen at that moment
   * @param bumpsRules whether the write would itself have changed the rules
   */
  constructor(
    readonly version: number,
    readonly bumpsRules = false,
  ) {
    super('Decided on a state that has changed.');
  }
}

/**
 * The error for a write with a proof that was used for another record: otherwise any reader of a record could replay
 * its proofs in the signer's name.
 */
export function proofReused(): LedgerError {
  return new LedgerError(
    'record.invalid',
    'A proof in the request was used for another record. Sign anew, with a custom.moment of its own.',
  );
}

/**
 * Runs `work` in a session on the ledger's current state, and again on a newer one each time that state turns out to be
 * out of date (optimistic concurrency). Every run decides from scratch, so that a revocation in between counts, and a
 * grant too.
 *
 * Writes that change the rules are stored one at a time. Those that lose the race take the ledger's mutex before they
 * are decided anew; otherwise each of n such writes would take up to n attempts.
 *
 * @param given a session on the state to begin with
 * @throws what `work` throws; Overloaded when the state changes too fast, or beyond the request timeout
 */
export async function inSession<T>(given: Session, work: Work<T>): Promise<T> {
  const { runtime, ledgers, ledgerMutex, store } = given;
  const deadline = runtime.now() + given.requestTimeout;
  let state = given.ledger;
  let attempts = 0;
  /** Retries until it is done; undefined when it needs the mutex first. */
  const attempt = async (hasMutex: boolean): Promise<{ done: T } | undefined> => {
    while (attempts < stateLimits.attempts && runtime.now() <= deadline) {
      attempts += 1;
      const outcome = await runAttempt(openSession(given, state), work);
      if ('done' in outcome) return outcome;
      if (outcome.bumpsRules && !hasMutex) return undefined;
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

/** A session on that state of the ledger. The state may be out of date: every read and the commit check it. */
export function openSession(service: Service & Pick<Session, 'isForwarded'>, ledger: Ledger): Session {
  const { store } = service;
  const { id } = ledger;
  const signers = getKnownSigners(ledger);
  const assumedUnregistered = new Set<string>();
  const assertCurrent = (version: number) => {
    if (version !== ledger.version) throw new OutOfDate(version);
  };
  const assertFresh = <T extends { readonly version: number }>(found: T): T => {
    assertCurrent(found.version);
    return found;
  };
  const findVersion: Session['findVersion'] = async (kind, key, by) =>
    assertFresh(await store.findVersion({ ledger: id, kind, id: key, by })).record;
  return {
    ...service,
    ledger,
    signers,
    assumedUnregistered,
    assertFresh,
    findVersion,
    async findSigner(key, by) {
      return assertFresh(await store.signers({ ledger: id, key, by }));
    },
    async findChange(of, change) {
      return assertFresh(await store.history.one({ ledger: id, ...of }, change)).change;
    },
    moment(before) {
      return new Date(service.moments.next(id, before && Date.parse(before.moment))).toISOString();
    },
    async assertStillCurrent() {
      assertCurrent(await store.ledgers.version(id));
    },
    async commit({ mayExceed, mayEnd, ...write }, by = store.commit, needsCodes = true) {
      if (ledger.isReadOnly) throw refuseKeyless();
      if (ledger.suspension && !service.isForwarded && !(await mayEnd?.())) {
        // A create that was stored before is answered as ever.
        if (write.action === 'create' && (await findVersion(write.kind, write.key, 'handle'))) return 'duplicated';
        throw new LedgerSuspended(ledger.suspension);
      }
      const codes = needsCodes ? codesOf(service, ledger, write) : { leaves: '' };
      const names = write.action === 'create' ? namesKept(kindNamed(write.kind), write.key) : [];
      const veiled = [...write.proofs, ...names].map(ledger.veil);
      const full = { ...write, ...codes, assumedUnregistered: [...assumedUnregistered], veiled };
      // What a bridge has stored is stored here as well.
      if (service.task.finishes) store.quotas.count(full);
      else await store.quotas.admit(full, mayExceed);
      const { result, version } = await service.tracing.span(needsCodes ? 'commit' : 'settle', () => by(full));
      // One of the keys may have been registered meanwhile, and the key that was just stored is registered now.
      if (result === 'stale') for (const key of assumedUnregistered) signers.delete(key);
      if (result === 'done' && write.link !== undefined) signers.delete(write.link);
      if (result === 'done' && write.deliveries?.length) service.deliveriesQueued();
      if (result === 'done' && write.wakes) service.intentsDue();
      if (result === 'done' && endsEffect(write)) service.effectEnded(id, write.luid);
      if (result === 'stale') throw new OutOfDate(version, write.bumpsRules);
      if (result === 'reused' && write.action !== 'create') throw proofReused();
      return result;
    },
  };
}

/** Whether a write drops an effect, or takes it out of use: its deliveries are cancelled. */
function endsEffect({ kind, action, status }: DecidedWrite): boolean {
  return kind === 'effect' && (action === 'drop' || !isInUse(status));
}

/** The codes of the version that a write stores. */
function codesOf({ integrity }: Service, ledger: Ledger, write: DecidedWrite): Pick<Write, 'mac' | 'leaves'> {
  const leaf = integrity.leaf(ledger.luid, write.kind, write);
  return { mac: integrity.mac(write, write), leaves: integrity.logCodes.codeLeaves(ledger.id, write, leaf) };
}

/**
 * A session in which the ledger itself acts, as for a schedule. Its own keys count as a client's, and access rules are
 * skipped, since they are about other callers. All other checks apply.
 */
export function openOwnSession(service: Service, ledger: Ledger): Session {
  return { ...openSession(service, ledger), isOwn: true };
}

/** The version to decide anew on, at least. */
interface RetryBasis {
  readonly version: number;
  readonly bumpsRules: boolean;
}

async function runAttempt<T>(session: Session, work: Work<T>): Promise<{ done: T } | RetryBasis> {
  try {
    assertOpen(session);
    return { done: await session.tracing.span('decision', () => work(session)) };
  } catch (error) {
    if (error instanceof OutOfDate) return error;
    const version = await versionToRetry(session, error);
    if (version === undefined) throw error;
    return { version, bumpsRules: false };
  }
}

/** @throws `auth.forbidden` for a client of a ledger of which an operator has stopped reads as well */
function assertOpen({ ledger: { suspension }, isOwn, isForwarded }: Session): void {
  if (suspension?.level === 'all' && !isOwn && !isForwarded) throw new LedgerSuspended(suspension);
}

/**
 * The ledger's version when a refusal rests on an outdated state; undefined when the error stands. A success is checked
 * by its commit, or by the read that answers it; a refusal is checked here: another process may have changed the rules,
 * made the missing domain or schema, or registered the caller.
 */
async function versionToRetry(session: Session, error: unknown): Promise<number | undefined> {
  if (!(error instanceof LedgerError) || error instanceof RetryLater) return undefined;
  if (error.status >= 500 || error.reason === 'api.request-timeout') return undefined;
  const { ledger, signers, store } = session;
  const [version, registered] = await Promise.all([store.ledgers.version(ledger.id), findRegisteredKeys(session)]);
  for (const key of registered) signers.delete(key);
  return version === ledger.version && registered.length === 0 ? undefined : version;
}

/** Those of the keys assumed to be unregistered that a signer or factor has now. */
async function findRegisteredKeys({ ledger, assumedUnregistered, store }: Session): Promise<string[]> {
  const found = await Promise.all(
    [...assumedUnregistered].map(async (key) => ({
      key,
      ...(await store.signers({ ledger: ledger.id, key, by: 'public' })),
    })),
  );
  return found.flatMap(({ key, body }) => (body === undefined ? [] : [key]));
}
