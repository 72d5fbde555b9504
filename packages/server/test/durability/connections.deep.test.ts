import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { Agent, type ClientRequest, get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDataDir } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { leaveNothingBehind, type Service, startService } from './service.js';

describe.skipIf(process.platform === 'win32')('a service of several processes', () => {
  let dataDir: string;
  let service: Service;

  // Of one that has just started all processes serve.
  beforeEach(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-connections-')));
    makeDataDir(dataDir);
    service = await startService(dataDir);
  });

  afterEach(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Asks on a connection of its own. */
  const ask = () => statusOf(get(service.url, { agent: new Agent() }));

  it('hands a connection that a process has not taken to another when it is killed', async () => {
    const [stopped] = service.workers() as [number];
    process.kill(stopped, 'SIGSTOP');
    const ended: (number | 'closed')[] = [];
    const asked = Array.from({ length: 6 }, () => ask().then((result) => ended.push(result)));
    // Processes take turns: one of the connections waits for the one that stands still.
    await eventually(() => expect(ended).toHaveLength(5));
    process.kill(stopped, 'SIGKILL');
    await Promise.all(asked);
    expect(ended).toEqual([200, 200, 200, 200, 200, 200]);
    // None is given to the process that is gone.
    for (let count = 0; count < 6; count += 1) expect(await ask()).toBe(200);
  });

  /** Begins a write whose body is still to come, on a connection of its own, once a process has taken it. */
  async function beginWrite() {
    const headers = { 'content-type': 'application/json', 'content-length': 2, expect: '100-continue' };
    const sent = request(`${service.url}/ledgers`, { method: 'POST', headers, agent: new Agent() });
    const ended = statusOf(sent);
    sent.flushHeaders();
    await once(sent, 'continue');
    return { sent, ended };
  }

  it('closes the connections with requests under way when their process is killed, and no others', async () => {
    const writes = await Promise.all(Array.from({ length: 8 }, beginWrite));
    const ends: (number | 'closed')[] = [];
    for (const { ended } of writes) void ended.then((end) => ends.push(end));
    process.kill(service.workers()[0] as number, 'SIGKILL');
    await eventually(() => expect(ends).toContain('closed'));
    for (const { sent } of writes) sent.end('{}');
    await Promise.all(writes.map(({ ended }) => ended));
    expect(new Set(ends)).toEqual(new Set(['closed', 422]));
  });

  it('closes the connections that nobody has taken when all processes are killed', async () => {
    const killed = service.workers();
    for (const worker of killed) process.kill(worker, 'SIGSTOP');
    const asked = Array.from({ length: 4 }, ask);
    for (const worker of killed) process.kill(worker, 'SIGKILL');
    expect(await Promise.all(asked)).toEqual(['closed', 'closed', 'closed', 'closed']);
    await eventually(async () => expect(await ask()).toBe(200));
  });
});

/** The status that a request is answered with, or `closed` where its connection ends without an answer. */
async function statusOf(sent: ClientRequest): Promise<number | 'closed'> {
  try {
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode;
  } catch {
    return 'closed';
  }
}
