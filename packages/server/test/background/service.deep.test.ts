import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { eventually } from '../support/eventually.js';
import { TEST_MASTER_KEY } from '../support/server.js';
import { withWork } from './work.js';

const work = withWork();

interface Lease {
  /** The process, as the table of leases names it: worker, process id, something random. */
  readonly holder: string | null;
  readonly until: Date;
}

async function lease(): Promise<Lease> {
  const { rows } = await work.current.pool.query(
    `select holder, until from lease where ledger_id = 0 and worker = 'sweep-used-tokens' and unit = ''`,
  );
  return rows[0];
}

function processOf({ holder }: Lease): number {
  return Number(holder?.split('/')[1]);
}

describe.skipIf(process.platform === 'win32')('the service', () => {
  let dataDir: string;
  let service: Service;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-background-')));
  });

  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('goes on with background work of a process that was killed, and gives leases back when it stops', async () => {
    const { pool, url } = work.current;
    // The sweep waits for this lock, and its process holds the lease meanwhile.
    const holder = await pool.connect();
    await holder.query('set idle_in_transaction_session_timeout = 0');
    await holder.query('begin; lock table used_token in exclusive mode');
    try {
      const keys = { MASTER_KEY: TEST_MASTER_KEY.toString('base64') };
      service = await startService(dataDir, 2, { DATABASE_URL: url, ...keys, BACKGROUND_LEASE: '3000' });
      const first = await eventually(async () => {
        const found = await lease();
        expect(service.workers()).toContain(processOf(found));
        return found;
      });
      process.kill(processOf(first), 'SIGKILL');
      const left = await lease();
      expect(left.holder).toBe(first.holder);
      const next = await eventually(async () => {
        const found = await lease();
        expect(found.holder).not.toBe(first.holder);
        expect(found.holder).not.toBeNull();
        return found;
      });
      expect(next.until.getTime()).toBeGreaterThanOrEqual(left.until.getTime());
      expect(await service.stop()).toBe(0);
      expect((await lease()).holder).toBeNull();
      expect(service.errors()).toContain('a worker has died and is replaced');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
});
