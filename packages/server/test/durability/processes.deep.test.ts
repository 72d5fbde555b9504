import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectIntact } from '../store/intact.js';
import { newLedger, proofOver, signed, type TestAnswer, TestClient, updateOf } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { seeded } from '../support/seed.js';
import { killPostgres, leaveNothingBehind, type Service, startService } from './service.js';

const WORKERS = 12;

/** Writes that there may be more of when the service is killed. */
const MORE = process.env.LONG_TESTS ? 400 : 60;

const random = seeded();

let dataDir: string;

beforeAll(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-durability-')));
});

afterAll(async () => {
  await leaveNothingBehind(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

/** One wallet and what was acknowledged of it: the record after each of its changes, as it was answered. */
interface Trail {
  readonly create: ReturnType<typeof signed>;
  readonly acknowledged: string[];
}

/** Keeps writing, each worker its own wallets, until the service is gone or `stop` is called. */
function load(client: TestClient, prefix: string) {
  const trails: Trail[] = [];
  let stopped = false;
  const attempt = async (request: Promise<TestAnswer>): Promise<TestAnswer | undefined> => {
    const answer = await request.catch(() => undefined);
    if (!answer || answer.status >= 500) stopped = true;
    return answer;
  };
  const work = async (worker: number) => {
    for (let number = 0; !stopped; number += 1) {
      const handle = `${prefix}-${worker}-${number}`;
      const trail: Trail = { create: signed({ handle }, client.key), acknowledged: [] };
      trails.push(trail);
      const made = await attempt(client.call('POST', '/wallets', trail.create));
      if (made?.status === 201) trail.acknowledged.push(made.text);
      if (stopped || !made) return;
      const path = `/wallets/${handle}`;
      const change =
        number % 2 === 0
          ? client.call('PUT', path, updateOf(made.body, { handle, custom: { number } }, client.key))
          : client.call('POST', `${path}/proofs`, proofOver(made.body.hash, client.key, { number }));
      const changed = await attempt(change);
      if (changed?.status === 200) trail.acknowledged.push(changed.text);
    }
  };
  const ended = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  return {
    trails,
    async stop() {
      stopped = true;
      await ended;
    },
  };
}

/** Every acknowledged change is there, byte for byte, with at most one more of which the answer was lost. */
async function expectKept(client: TestClient, trails: readonly Trail[]): Promise<{ lostAnswers: number }> {
  let lostAnswers = 0;
  for (const { create, acknowledged } of trails) {
    const last = acknowledged.at(-1);
    if (last === undefined) {
      // Sent again, it is either found or made; never both, and never refused.
      const again = await client.call('POST', '/wallets', create);
      expect([200, 201], again.text).toContain(again.status);
      if (again.status === 200) lostAnswers += 1;
      continue;
    }
    const { luid }: RecordEnvelope = JSON.parse(last);
    const history = await expectIntact(client, '/wallets', luid);
    const unanswered = history.length - acknowledged.length;
    expect([0, 1]).toContain(unanswered);
    lostAnswers += unanswered;
    for (const [index, text] of acknowledged.entries()) {
      const { hash, data, meta }: RecordEnvelope = JSON.parse(text);
      expect(history[index]).toMatchObject({ hash, data, meta: { proofs: meta.proofs, moment: meta.moment } });
    }
    if (unanswered === 0) expect((await client.get(`/wallets/${luid}`)).text).toBe(last);
  }
  return { lostAnswers };
}

function acknowledgedIn(trails: readonly Trail[]): number {
  return trails.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
}

async function untilAcknowledged(trails: readonly Trail[], count: number): Promise<void> {
  while (acknowledgedIn(trails) < count) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe.skipIf(process.platform === 'win32')('the service as a process', () => {
  let service: Service;
  let client: TestClient;

  it('starts on an empty folder, and lets no second one use it', async () => {
    service = await startService(dataDir, 1);
    client = await newLedger(service.url);
    await expect(startService(dataDir)).rejects.toThrow(
      new RegExp(`^exit code 1: countersign: DATA_DIR ${dataDir} is in use by process \\d+\\n$`),
    );
    expect((await client.get('/ledger')).status).toBe(200);
  });

  // How many processes serve next, as the test that follows needs it.
  it.each([
    ['killed', 1, async () => {}],
    ['killed together with its PostgreSQL', 2, () => killPostgres(dataDir)],
  ])('has every acknowledged write after it was %s', async (how, workers, alsoKill) => {
    const { trails, stop } = load(client, how.replaceAll(' ', '-'));
    // A moment like any other: writes are under way at each.
    await untilAcknowledged(trails, 40 + Math.floor(random() * MORE));
    await Promise.all([alsoKill(), service.kill()]);
    await stop();
    const before = acknowledgedIn(trails);
    service = await startService(dataDir, workers);
    client = new TestClient(service.url, client.key, client.ledger);
    const { lostAnswers } = await expectKept(client, trails);
    expect(before).toBeGreaterThanOrEqual(40);
    expect(lostAnswers).toBeLessThanOrEqual(WORKERS);
  });

  it('goes on when only its PostgreSQL is killed, and has every acknowledged write', async () => {
    const workers = service.workers();
    const { trails, stop } = load(client, 'postgres');
    await untilAcknowledged(trails, 60);
    await killPostgres(dataDir);
    await stop();
    const away = await client.get('/ledger');
    if (away.status !== 200) expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    await eventually(async () => expect((await client.get('/wallets')).status).toBe(200));
    await expectKept(client, trails);
    expect(service.workers()).toEqual(workers);
    expect(service.errors()).toContain('PostgreSQL is started again (it ended: signal SIGKILL)');
  });

  it('answers every request it took before it stops, and serves all of them after', async () => {
    const { trails, stop } = load(client, 'term');
    await untilAcknowledged(trails, 100);
    const errors = service.errors();
    expect(await service.stop()).toBe(0);
    expect(service.errors()).toBe(errors);
    await stop();
    service = await startService(dataDir, 1);
    client = new TestClient(service.url, client.key, client.ledger);
    // Nothing was stored that was not answered: what was not taken can be told by sending it again.
    expect(await expectKept(client, trails)).toEqual({ lostAnswers: 0 });
    expect(await service.stop()).toBe(0);
  });
});
