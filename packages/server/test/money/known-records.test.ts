import { expect, it } from 'vitest';
import type { Session } from '../../src/ledgers/session.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import { KnownRecords } from '../../src/money/plan/directory.js';
import { sequencerLimits } from '../../src/money/sequencer-limits.js';

/** A session whose wallets have texts of the length that their handle says, and what was read of it. */
function sessionOf(read: string[]): Session {
  const findVersion = async (_: string, handle: string) => {
    read.push(handle);
    const record = { hash: '', data: { handle, filled: '' }, luid: `$wlt.${handle}`, meta: {} };
    record.data.filled = 'x'.repeat(Number(handle) - JSON.stringify(record).length);
    return { body: JSON.stringify(record), change: 1 };
  };
  return { task: UNBOUNDED, findVersion } as unknown as Session;
}

it('a long wallet is read again for each intent, as so many would fill the memory; a short one is known', async () => {
  const read: string[] = [];
  const known = new KnownRecords();
  const session = sessionOf(read);
  const most = sequencerLimits.knownText;
  for (const handle of [`${most}`, `${most + 1}`, `${most}`, `${most + 1}`]) {
    const found = await known.directory(session).wallet(handle);
    expect(JSON.stringify(found!.record)).toHaveLength(Number(handle));
  }
  expect(read).toEqual([`${most}`, `${most + 1}`, `${most + 1}`]);
});
