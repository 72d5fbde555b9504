import { LedgerError } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../service.js';
import type { Write } from '../store/write.js';

/** Thrown when what a decision rests on turns out to have changed: the decision is made anew. */
export class OutOfDate extends Error {
  /** @param version the ledger's version seen when that was noticed */
  constructor(readonly version: number) {
    super('Decided on a state that has changed.');
  }
}

/**
 * Runs `work` on the ledger's current state, and again on a newer one each time the state it ran on turns out to be
 * out of date. Every run decides from scratch, so a revocation that came between is honoured, and so is a grant.
 *
 * @throws what `work` throws
 */
export async function onCurrent<T>(service: Service, ledger: Ledger, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  let current = ledger;
  for (let attempt = 0; attempt < limits.attempts; attempt += 1) {
    current = { ...current, strangers: new Set() };
    try {
      return await work(current);
    } catch (error) {
      const version = error instanceof OutOfDate ? error.version : await versionToRetry(service, current, error);
      if (version === undefined) throw error;
      current = await service.ledgers.renew(current, version);
    }
  }
  throw new LedgerError('api.unexpected-error', 'The record is changing too fast. Retry later.');
}

/**
 * The ledger's version when a refusal rests on a state that has passed; nothing when the error stands. What is let
 * through is checked by its commit, or by the read that answers it; nothing has checked yet what is refused: another
 * process may have changed the rules, made the domain or schema that was missed, or registered the caller.
 */
async function versionToRetry(service: Service, ledger: Ledger, error: unknown): Promise<number | undefined> {
  if (!(error instanceof LedgerError) || error.status >= 500) return undefined;
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
export type Decided = Omit<Write, 'strangers'>;

/**
 * Stores a write.
 *
 * @returns whether it was stored; false when its key is taken
 * @throws OutOfDate when something it was decided on has changed
 */
export async function commit(service: Service, ledger: Ledger, write: Decided): Promise<boolean> {
  const { result, version } = await service.store.commit({ ...write, strangers: [...ledger.strangers] });
  // Whoever was a stranger may have registered meanwhile, and whose key was just stored is a stranger no more.
  if (result === 'stale') for (const key of ledger.strangers) ledger.signers.delete(key);
  if (result === 'done' && write.link !== undefined) ledger.signers.delete(write.link);
  if (result === 'stale') throw new OutOfDate(version);
  return result === 'done';
}
