import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newLedger, signed, type TestClient } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { keepAsking } from './keep-alive.js';
import { leaveNothingBehind, type Service, startService } from './service.js';

describe.skipIf(process.platform === 'win32')('a service of several processes', () => {
  let dataDir: string;
  let service: Service;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-workers-')));
    makeDataDir(dataDir);
    service = await startService(dataDir);
  });

  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('replaces them one after the other on SIGHUP, loses nothing it acknowledged, and resets no client', async () => {
    const before = service.workers();
    expect(before).toHaveLength(2);
    const clients = keepAsking(service.url, '', 16, 20);
    const { acknowledged, client } = await underLoad(service, async () => {
      service.renew();
      await until(() => service.workers().every((pid) => !before.includes(pid)) && service.workers().length === 2);
    });
    const { answered, failed } = await clients.stop();
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(16);
    await expectAll(client, acknowledged);
  });

  it('replaces one that dies, and loses nothing it acknowledged', async () => {
    const before = service.workers();
    const { acknowledged, client } = await underLoad(service, async () => {
      process.kill(before[0] as number, 'SIGKILL');
      await until(() => service.workers().length === 2 && !service.workers().includes(before[0] as number));
    });
    expect(service.workers()).toContain(before[1]);
    await expectAll(client, acknowledged);
  });

  it('goes on with one of them while the others die as they start, and without that one', async () => {
    const [spared = 0] = service.workers();
    const killed = new Set<number>([spared]);
    const killOthers = () => {
      for (const pid of service.workers().filter((one) => !killed.has(one))) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
    };
    // More deaths in a row than end it where none serves.
    await until(() => {
      killOthers();
      return killed.size > 6;
    });
    expect((await persistently(() => fetch(new URL('/health', service.url)))).status).toBe(200);
    expect(service.workers()).toContain(spared);
    // What has failed beside it does not count against those that take its place.
    killOthers();
    process.kill(spared, 'SIGKILL');
    await until(() => service.workers().filter((pid) => !killed.has(pid)).length === 2);
    expect((await persistently(() => fetch(new URL('/health', service.url)))).status).toBe(200);
  });

  it('tells in its metrics which of them did what', async () => {
    const client = await persistently(() => newLedger(service.url));
    const counted = async (worker: string) => {
      await persistently(() => client.get('/wallets', { connection: 'close' }));
      const metrics = await persistently(async () => (await fetch(service.metrics)).text());
      return new RegExp(`^countersign_requests_total\\{.*route="/v2/wallets".*worker="${worker}"`, 'm').test(metrics);
    };
    await until(() => counted('1'));
    await until(() => counted('2'));
  });
});

/** Creates wallets with hardly a pause while `work` is done; an answer that is lost is asked for again, with the same body. */
async function underLoad(service: Service, work: () => Promise<void>) {
  const client = await persistently(() => newLedger(service.url));
  const acknowledged: string[] = [];
  let done = false;
  const create = async (lane: number) => {
    for (let number = 0; !done; number += 1) {
      const body = signed({ handle: `w-${lane}-${number}` }, client.key);
      const answer = await persistently(() => client.call('POST', '/wallets', body));
      expect([200, 201], answer.text).toContain(answer.status);
      acknowledged.push(answer.text);
      await pause(10);
    }
  };
  const lanes = Promise.all(Array.from({ length: 3 }, (_, lane) => create(lane)));
  await work().finally(() => {
    done = true;
  });
  await lanes;
  return { acknowledged, client };
}

async function expectAll(client: TestClient, acknowledged: readonly string[]): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(0);
  await Promise.all(
    acknowledged.map(async (text) => {
      const answer = await persistently(() => client.get(`/wallets/${JSON.parse(text).luid}`));
      expect(answer.text).toBe(text);
    }),
  );
}

/** Milliseconds after which a client that is given no answer asks again. */
const ENOUGH = 3_000;

/**
 * Asks again when the connection is lost: a client cannot know that the process behind an idle one has just left. So it
 * does when it hears nothing, since a connection that the primary has just handed to a process that was killed then stays
 * open with nobody behind it (Node.js keeps it until the process says that it took it).
 */
async function persistently<T>(ask: () => Promise<T>): Promise<T> {
  for (const late = performance.now() + 90_000; ; ) {
    const unheard = pause(ENOUGH).then(() => {
      throw new TypeError('no answer');
    });
    try {
      return await Promise.race([ask(), unheard]);
    } catch (error) {
      if (!(error instanceof TypeError) || performance.now() > late) throw error;
    } finally {
      unheard.catch(() => {});
    }
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const late = performance.now() + 90_000; !(await condition()); await pause(50)) {
    if (performance.now() > late) throw new Error('It did not come to that in 90 seconds.');
  }
}
