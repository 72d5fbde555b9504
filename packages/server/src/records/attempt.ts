import { LedgerError } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../service.js';
import type { Outcome, Write } from '../store/write.js';

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
    try {
      return await work(current);
    } catch (error) {
      const version = error instanceof OutOfDate ? error.version : await versionNow(service, current, error);
      if (version === undefined) throw error;
      current = await service.ledgers.renew(current, version);
    }
  }
  throw new LedgerError('api.unexpected-error', 'The record is changing too fast. Retry later.');
}

/**
 * The ledger's version when a refusal rests on one that has passed; nothing when the error stands. What is let through
 * is checked by its commit, or by the read that answers it; nothing has checked yet what is refused: another process
 * may have changed the rules, or made the domain or schema that was missed.
 */
async function versionNow(service: Service, ledger: Ledger, error: unknown): Promise<number | undefined> {
  if (!(error instanceof LedgerError) || error.status >= 500) return undefined;
  const version = await service.store.ledgers.version(ledger.id);
  return version === ledger.version ? undefined : version;
}

/** @throws OutOfDate when the ledger has moved on since this state of it was loaded */
export function assertCurrent(ledger: Ledger, version: number): void {
  if (version !== ledger.version) throw new OutOfDate(version);
}

/**
 * Stores a write.
 *
 * @returns whether it was stored; false when its key is taken
 * @throws OutOfDate when something it was decided on has changed
 */
export async function commit(service: Service, ledger: Ledger, write: Write): Promise<boolean> {
  const outcome: Outcome = await service.store.commit(write);
  // Whoever was a stranger may have registered meanwhile, and a new signer is a stranger no more.
  if (outcome.result === 'stale') for (const key of write.strangers) ledger.signers.delete(key);
  if (outcome.result === 'done' && write.kind === 'signer' && write.link) ledger.signers.delete(write.link);
  if (outcome.result === 'stale') throw new OutOfDate(outcome.version);
  return outcome.result === 'done';
}
