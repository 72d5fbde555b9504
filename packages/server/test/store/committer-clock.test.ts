import { expect, it } from 'vitest';
import { LedgerClock } from '../../src/base/ledger-clock.js';
import { createCommitter } from '../../src/store/committer/commit.js';
import { createPool } from '../../src/store/pool.js';
import { createMigratedDatabase } from '../support/database.js';
import { writeOf } from './write.js';

it('a commit that has waited for a connection is not stale where clocks agree (interface/envelope#moments)', async () => {
  const database = await createMigratedDatabase();
  const [pool, other] = [1, 2].map(() => createPool({ connectionString: database.url, max: 1 }, () => {}));
  let now = Date.now();
  try {
    const { rows } = await other!.query<{ id: number }>(
      `insert into ledger (handle, luid, owners) values ('l', '$ldg.l', '{}') returning id`,
    );
    const ledger = rows[0]!.id;
    const committer = (of: NonNullable<typeof pool>) => createCommitter(of, undefined, new LedgerClock(() => now));
    const write = (number: number) => writeOf(number, { ledger, moment: new Date(now).toISOString() });
    const busy = await pool!.connect();
    const waiting = committer(pool!)(write(1));
    // The wait begins with the next turn.
    await new Promise(setImmediate);
    now += 1_000;
    expect((await committer(other!)(write(2))).result).toBe('done');
    busy.release();
    expect((await waiting).result).toBe('done');
  } finally {
    await pool!.end();
    await other!.end();
    await database.drop();
  }
});
