import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDataDir } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { leaveNothingBehind, type Service, startService } from './service.js';

describe.runIf(process.platform === 'linux')('the process that serves operators', () => {
  let dataDir: string;
  let service: Service;
  let operators: string;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-operators-')));
    makeDataDir(dataDir);
    const port = await freePort();
    operators = `http://127.0.0.1:${port}/`;
    const key = Buffer.alloc(32, 7).toString('base64');
    service = await startService(dataDir, 1, {
      ...{ ADMIN_PORT: String(port), OPERATOR_KEYS: `alice=${key}`, LOG_LEVEL: 'warn' },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  const isForOperators = (pid: number) =>
    readFileSync(`/proc/${pid}/environ`, 'utf8').includes('COUNTERSIGN_OPERATORS_PROCESS=1');
  const theirs = () => service.workers().filter(isForOperators);
  const answers = async (url: string) =>
    expect((await fetch(url, { signal: AbortSignal.timeout(5_000) })).status).toBe(200);

  it('has no URL of the embedded database in its environment', () => {
    expect(theirs()).toHaveLength(1);
    expect(readFileSync(`/proc/${theirs()[0]}/environ`, 'utf8')).not.toMatch(/postgres(ql)?:/);
  });

  /** What keeps another program from the port; undefined where nothing does. */
  const whyTaken = async () => {
    const server = createServer().listen({ port: Number(new URL(operators).port), host: '127.0.0.1' });
    try {
      await once(server, 'listening');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
    server.close();
    return undefined;
  };

  it('is replaced when it dies, nobody else notices, and no other program gets its port', {
    timeout: 120_000,
  }, async () => {
    const [before] = theirs();
    const others = service.workers().filter((pid) => pid !== before);
    await answers(operators);
    const found = new Set<string | undefined>();
    let isOver = false;
    const trying = (async () => {
      for (; !isOver; await pause(5)) found.add(await whyTaken());
    })();
    process.kill(before!, 'SIGKILL');
    await eventually(async () => {
      expect(service.errors()).toContain('the process that serves operators has died and is replaced');
      await answers(operators);
    }).finally(() => {
      isOver = true;
    });
    await trying;
    expect([...found]).toEqual(['EADDRINUSE']);
    expect(theirs()).toHaveLength(1);
    expect(theirs()).not.toEqual([before]);
    expect(service.workers().filter((pid) => pid !== theirs()[0])).toEqual(others);
    await answers(service.url);
  });

  it('is replaced when it stands still', { timeout: 120_000 }, async () => {
    const [before] = theirs();
    process.kill(before!, 'SIGSTOP');
    await eventually(async () => {
      expect(theirs()).toHaveLength(1);
      expect(theirs()).not.toContain(before);
      await answers(operators);
    });
    expect(service.errors()).toContain('the process that serves operators stands still: it is killed');
  });

  it('neither keeps the others from being replaced nor the service from ending while it stands still', async () => {
    process.kill(theirs()[0]!, 'SIGSTOP');
    const [worker] = service.workers().filter((pid) => !isForOperators(pid));
    process.kill(worker!, 'SIGKILL');
    await eventually(async () => {
      expect(service.workers()).toHaveLength(2);
      expect(service.workers()).not.toContain(worker);
      await answers(service.url);
    });
    expect(await service.stop()).toBe(0);
  });
});
