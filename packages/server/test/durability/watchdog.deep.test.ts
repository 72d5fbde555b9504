import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterLimits } from '../../src/cluster/cluster-limits.js';
import { makeDataDir } from '../support/database.js';
import { leaveNothingBehind, type Service, startService } from './service.js';

describe.skipIf(process.platform === 'win32')('a service whose event loop stands still', () => {
  let dataDir: string;
  let service: Service;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-watchdog-')));
    makeDataDir(dataDir);
    service = await startService(dataDir, 1);
  });

  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('has it replaced, also where it is the only one, and counts that', { timeout: 120_000 }, async () => {
    const [before] = service.workers();
    expect(service.workers()).toHaveLength(1);
    process.kill(before as number, 'SIGSTOP');
    const late = performance.now() + clusterLimits.standstill + 60_000;
    while (service.workers().includes(before as number) || service.workers().length !== 1) {
      if (performance.now() > late) throw new Error('It was not replaced.');
      await pause(100);
    }
    const text = await metrics(service, late);
    expect(text).toMatch(/^countersign_workers_replaced_total\{worker="1",because="stood-still"\} 1$/m);
    expect(service.errors()).toContain('the event loop of a worker stands still');
  });
});

/** The metrics, as soon as the new process serves. */
async function metrics(service: Service, late: number): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(service.metrics)).text();
    } catch (error) {
      if (performance.now() > late) throw error;
      await pause(100);
    }
  }
}
