import { LedgerError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import type { Ledger } from '../../src/ledgers/ledger.js';
import { createLedgerMutex } from '../../src/ledgers/ledger-mutex.js';
import type { Service } from '../../src/ledgers/service.js';
import { inSession, OutOfDate, openSession, type Session } from '../../src/ledgers/session.js';
import { stateLimits } from '../../src/ledgers/state-limits.js';
import { UNTRACED } from '../../src/tracing/tracing.js';

/** A ledger whose version rises each time it is asked for. */
function changing() {
  let version = 1;
  let now = 0;
  const service = {
    runtime: { now: () => now },
    requestTimeout: 1_000,
    tracing: UNTRACED,
    ledgerMutex: createLedgerMutex(),
    store: { ledgers: { version: async () => (version += 1) } },
    ledgers: { renew: async (ledger: Ledger, least: number) => ({ ...ledger, version: least }) },
  } as unknown as Service;
  const ledger = { id: 1, version } as unknown as Ledger;
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { service, ledger, pass };
}

/** Work that fails so many times before it answers with the number of its runs. */
function failing(times: number, error: () => Error) {
  const runs: number[] = [];
  const work = async ({ ledger }: Session) => {
    runs.push(ledger.version);
    if (runs.length <= times) throw error();
    return runs.length;
  };
  return { runs, work };
}

describe('what was decided on a state that has passed', () => {
  it('is decided anew as often as it takes, up to a limit', async () => {
    for (const decides of [false, true]) {
      const { service, ledger } = changing();
      const stale = () => new OutOfDate(2, decides);
      expect(await inSession(openSession(service, ledger), failing(stateLimits.attempts - 1, stale).work)).toBe(
        stateLimits.attempts,
      );
      await expect(inSession(openSession(service, ledger), failing(stateLimits.attempts, stale).work)).rejects.toThrow(
        Overloaded,
      );
    }
  });

  it('is not decided anew when nobody waits for the answer any more', async () => {
    const { service, ledger, pass } = changing();
    const slow = failing(10, () => {
      pass(400);
      return new OutOfDate(2);
    });
    await expect(inSession(openSession(service, ledger), slow.work)).rejects.toThrow(Overloaded);
    expect(slow.runs).toHaveLength(3);
  });

  it('is decided anew when it was a refusal, but not when only the time ran out', async () => {
    const { service, ledger } = changing();
    const refused = failing(2, () => new LedgerError('auth.forbidden', 'No.'));
    expect(await inSession(openSession(service, ledger), refused.work)).toBe(3);
    const late = failing(1, () => new LedgerError('api.request-timeout', 'Too long.'));
    await expect(inSession(openSession(service, ledger), late.work)).rejects.toThrow('Too long.');
    expect(late.runs).toHaveLength(1);
  });

  it('waits for its turn where it would change the rules, and lets the next one go on however it ends', async () => {
    const { service, ledger } = changing();
    const order: string[] = [];
    const withLock = (name: string, error?: Error) => {
      let runs = 0;
      return inSession(openSession(service, ledger), async () => {
        runs += 1;
        if (runs === 1) throw new OutOfDate(2, true);
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`${name} ends`);
        if (error) throw error;
      });
    };
    const ends = await Promise.allSettled([withLock('a'), withLock('b', new Error('broken')), withLock('c')]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });
});
