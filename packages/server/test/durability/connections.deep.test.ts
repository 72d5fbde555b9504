import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDataDir } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { leaveNothingBehind, type Service, startService } from './service.js';

describe.skipIf(process.platform === 'win32')('a service of several processes', () => {
  let dataDir: string;
  let service: Service;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-connections-')));
    makeDataDir(dataDir);
    service = await startService(dataDir);
  });

  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Asks on a connection of its own. @returns the status, or `closed` where it ends without an answer */
  async function ask(): Promise<number | 'closed'> {
    const request = get(service.url, { agent: new Agent() });
    try {
      const [answer] = await once(request, 'response');
      answer.resume();
      return answer.statusCode;
    } catch {
      return 'closed';
    }
  }

  it('closes the connections that a process was handed and has not taken when it is killed', async () => {
    const [stopped] = service.workers() as [number];
    process.kill(stopped, 'SIGSTOP');
    const ended: (number | 'closed')[] = [];
    const asked = Array.from({ length: 6 }, () => ask().then((result) => ended.push(result)));
    // Processes take turns: one of the connections waits for the one that stands still.
    await eventually(() => expect(ended).toHaveLength(5));
    expect(ended).toEqual([200, 200, 200, 200, 200]);
    process.kill(stopped, 'SIGKILL');
    const patience = pause(30_000).then(() => 'no end');
    expect(await Promise.race([Promise.all(asked).then(() => 'all ended'), patience])).toBe('all ended');
    expect(ended.at(-1)).toBe('closed');
    await eventually(async () => expect(service.workers()).toHaveLength(2));
    expect(await ask()).toBe(200);
  });
});
