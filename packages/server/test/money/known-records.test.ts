import { expect, it } from 'vitest';
import type { Session } from '../../src/ledgers/session.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import { createRecordCache, KnownRecords } from '../../src/money/plan/known-records.js';

/** A session whose wallets have `custom` data as given, and what was read of it. */
function sessionOf(read: string[], custom: unknown): Session {
  const findVersion = async (_: string, handle: string) => {
    read.push(handle);
    return {
      body: JSON.stringify({ hash: '', data: { handle, custom }, luid: `$wlt.${handle}`, meta: {} }),
      change: 1,
    };
  };
  return { task: UNBOUNDED, findVersion } as unknown as Session;
}

/** Wallets of a ledger that are read once, and of these again the last and the first. */
async function readAgain(custom: unknown, count: number): Promise<string[]> {
  const read: string[] = [];
  const known = new KnownRecords(createRecordCache());
  const find = (handle: string) => known.directory(sessionOf(read, custom)).wallet(handle);
  for (let at = 0; at < count; at += 1) await find(`w${at}`);
  read.length = 0;
  expect((await find(`w${count - 1}`))!.record.data.custom).toEqual(custom);
  await find('w0');
  return read;
}

it('as many records are remembered as fit into memory, whether they are long or have many values', async () => {
  expect(await readAgain('short', 1_000)).toEqual([]);
  expect(await readAgain('x'.repeat(2 ** 20), 70)).toEqual(['w0']);
  expect(
    await readAgain(
      Array.from({ length: 10_000 }, () => ({})),
      70,
    ),
  ).toEqual(['w0']);
});

it('a plan sees one version of a record, also where it is forgotten meanwhile; each sequencer forgets its own', async () => {
  const cache = createRecordCache();
  const [mine, others] = [new KnownRecords(cache), new KnownRecords(cache)];
  const read: string[] = [];
  const session = sessionOf(read, {});
  const directory = mine.directory(session);
  const found = await directory.wallet('w');
  await others.directory(session).wallet('w');
  mine.forget();
  expect(await directory.wallet('w')).toBe(found);
  expect(await mine.directory(session).wallet('w')).not.toBe(found);
  expect(await mine.directory(session).wallet('w')).toEqual(found);
  await others.directory(session).wallet('w');
  expect(read).toEqual(['w', 'w', 'w']);
});

it('a sequencer that took the place of an evicted one rests on nothing that this one remembered', async () => {
  const cache = createRecordCache();
  const read: string[] = [];
  for (let count = 0; count < 2; count += 1) await new KnownRecords(cache).directory(sessionOf(read, {})).wallet('w');
  expect(read).toEqual(['w', 'w']);
});
