import { LedgerError } from '@countersign/protocol';
import type { Ledger } from './ledger.js';
import { limits } from '../limits.js';
import type { Service } from './service.js';
import { Overloaded } from '../base/gather.js';
import type { Write } from '../store/committer/write.js';
import { reused } from '../records/proofs.js';

/** Thrown when what a decision rests on turns out to have changed: the decision is made anew. */
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
 * Runs `work` on the ledger's current state, and again on a newer one each time the state it ran on turns out to be
 * out of date. Every run decides from scratch, so a revocation that came between is honoured, and so is a grant.
 *
 * Writes that change the rules are stored one at a time. Those that were not the one line up before they are decided
 * anew: else each would be decided as often as there are others.
 *
 * @throws what `work` throws; Overloaded when the state changes too fast, or for longer than anybody waits for the answer
 */
export async function onCurrent<T>(service: Service, ledger: Ledger, work: Work<T>): Promise<T> {
  const deadline = service.nature.now() + service.requestTimeout;
  let state = ledger;
  let attempts = 0;
  /** Until it is done; or, when it has no turn, until it needs one. */
  const attempt = async (hasTurn: boolean): Promise<{ done: T } | undefined> => {
    while (attempts < limits.attempts && service.nature.now() <= deadline) {
      attempts += 1;
      const outcome = await attempted(service, state, work);
      if ('done' in outcome) return outcome;
      if (outcome.decides && !hasTurn) return undefined;
      state = await service.ledgers.renew(state, outcome.version);
    }
    throw new Overloaded('The state of a ledger is changing too fast.');
  };
  const atOnce = await attempt(false);
  if (atOnce) return atOnce.done;
  return service.ledgerMutex.runExclusive(ledger.id, async () => {
    state = await service.ledgers.renew(state, await service.store.ledgers.version(ledger.id));
    const inTurn = await attempt(true);
    return inTurn!.done;
  });
}

type Work<T> = (ledger: Ledger) => Promise<T>;

/** What is to be decided anew, on that version of the ledger or a later one. */
interface Retry {
  readonly version: number;
  readonly decides: boolean;
}

/** Runs `work` on a state of the ledger. */
async function attempted<T>(service: Service, ledger: Ledger, work: Work<T>): Promise<{ done: T } | Retry> {
  const current = { ...ledger, strangers: new Set<string>() };
  try {
    return { done: await work(current) };
  } catch (error) {
    if (error instanceof OutOfDate) return error;
    const version = await versionToRetry(service, current, error);
    if (version === undefined) throw error;
    return { version, decides: false };
  }
}

/**
 * The ledger's version when a refusal rests on a state that has passed; nothing when the error stands. What is let
 * through is checked by its commit, or by the read that answers it; nothing has checked yet what is refused: another
 * process may have changed the rules, made the domain or schema that was missed, or registered the caller.
 */
async function versionToRetry(service: Service, ledger: Ledger, error: unknown): Promise<number | undefined> {
  if (!(error instanceof LedgerError) || error.status >= 500 || error.reason === 'api.request-timeout')
    return undefined;
  const [version, registered] = await Promise.all([
    service.store.ledgers.version(ledger.id),
    registeredAmong(service, ledger),
  ]);
  for (const key of registered) ledger.signers.delete(key);
  return version === ledger.version && registered.length === 0 ? undefined : version;
}

/** Those of the keys taken for nobody's that a signer or factor has now. */
async function registeredAmong(service: Service, { id, strangers }: Ledger): Promise<string[]> {
  const found = await Promise.all(
    [...strangers].map(async (key) => ({ key, ...(await service.store.signers({ ledger: id, key, by: 'public' })) })),
  );
  return found.flatMap(({ key, body }) => (body === undefined ? [] : [key]));
}

/** @throws OutOfDate when the ledger has moved on since this state of it was loaded */
export function assertCurrent(ledger: Ledger, version: number): void {
  if (version !== ledger.version) throw new OutOfDate(version);
}

/** A write, but for the keys taken for nobody's: the run it was decided in holds those. */
export type Decided = Omit<Write, 'strangers' | 'mac'>;

/**
 * Stores a write.
 *
 * @returns `done`; `duplicated` when its key is taken, `reused` for a create with a proof that made another record
 * @throws OutOfDate when something it was decided on has changed; `record.invalid` for a change with a proof that was used
 *   for another record
 */
export async function commit(
  service: Service,
  ledger: Ledger,
  write: Decided,
): Promise<'done' | 'duplicated' | 'reused'> {
  const mac = service.integrity.mac(write, write);
  const { result, version } = await service.store.commit({ ...write, strangers: [...ledger.strangers], mac });
  // Whoever was a stranger may have registered meanwhile, and whose key was just stored is a stranger no more.
  if (result === 'stale') for (const key of ledger.strangers) ledger.signers.delete(key);
  if (result === 'done' && write.link !== undefined) ledger.signers.delete(write.link);
  if (result === 'stale') throw new OutOfDate(version, write.decides);
  if (result === 'reused' && write.action !== 'create') throw reused();
  return result;
}
