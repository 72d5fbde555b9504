import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCheckpoint, formatNote } from '@countersign/protocol/log';
import pg from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createFence } from '../../src/log/fence.js';
import { watchLogs } from '../../src/log/watch.js';
import { createMigratedDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

/** What a server has shown of the log of a ledger; nothing here verifies it. */
function noteOf(ledger: string): string {
  const origin = `here.example/log/${ledger}`;
  const text = formatCheckpoint({ origin, size: 3, root: Buffer.alloc(32) });
  return formatNote({ text, signatures: [{ name: origin, id: '00000000', signature: Buffer.alloc(64, 1) }] });
}

it('keeps count of lost logs when only the ledgers of another node are compared again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-compare-'));
  const database = await createMigratedDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  const lines: string[] = [];
  const counts: number[] = [];
  const fence = createFence(join(folder, 'log-fence'), '0', Date.now);
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const publisher = { examine: () => Promise.reject(new Error('No log is there to be examined.')) };
  const logs = watchLogs({ pool, fence, publisher, logger, lost: (count) => void counts.push(count) });
  try {
    await Promise.all(['a', 'b'].map((ledger) => fence.raise(noteOf(ledger))));
    logs.wentBack();
    logs.wentBack(['$c']);
    logs.wentBack(['$a']);
    await eventually(() => expect(counts).toEqual([2, 2, 2]));
    expect(lines.filter((line) => line.startsWith('writes are lost'))).toHaveLength(3);
    // The ledger $c alone has all.
    expect(lines.filter((line) => line.includes('has all that was shown'))).toEqual([
      'of these ledgers, the database has all that was shown of the logs',
    ]);
  } finally {
    logs.stop();
    await pool.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
