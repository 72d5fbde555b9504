import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newLedger, signed } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { leaveNothingBehind, type Service, startService } from './service.js';

/** Writes per second, and seconds of them that may come at once. */
const RATE = 4;
const BURST = 5;

describe.skipIf(process.platform === 'win32')('limits of a service of several processes', () => {
  let dataDir: string;
  let service: Service;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-rates-')));
    makeDataDir(dataDir);
    service = await startService(dataDir, 3, { LEDGER_WRITES: String(RATE) });
  });

  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('hold for all of them together, since each tells the others what it let through', async () => {
    const client = await newLedger(service.url);
    const statuses: number[] = [];
    const began = performance.now();
    // One at a time, each on a connection of its own: the processes take turns.
    for (let sent = 0; sent < 90; sent += 1) {
      const answer = await client.call('POST', '/wallets', signed({ handle: `w-${sent}` }, client.key), {
        connection: 'close',
      });
      statuses.push(answer.status);
      await pause(40);
    }
    const seconds = (performance.now() - began) / 1_000;
    const stored = statuses.filter((status) => status === 201).length;
    expect(new Set(statuses)).toEqual(new Set([201, 429]));
    expect(stored).toBeGreaterThanOrEqual(RATE * BURST);
    // What the others have let through is known after a quarter of a second.
    expect(stored).toBeLessThanOrEqual(RATE * (BURST + seconds) + 10);
  });
});
