import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { createLogCodes } from '../../src/integrity/log-leaves.js';
import { createFence, type Fence } from '../../src/log/fence.js';
import { fenceIn } from '../../src/log/log.js';
import { createPublisher } from '../../src/log/publish.js';
import { createSystemKeyOf } from '../../src/log/system-keys.js';
import { createPool } from '../../src/store/pool.js';
import { createSystemKeys } from '../../src/store/queries/ledgers.js';
import { newLedger } from '../support/client.js';
import { stored } from '../support/scene.js';
import { startServer } from '../support/server.js';
import { sealedLog } from '../support/witness.js';

it('is no contradiction when another process shows more between two looks', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-fence-'));
  const running = await startServer({ dataDir });
  const pool = createPool({ connectionString: running.database.url, max: 2 }, () => {});
  const client = await newLedger(running.url);
  const { ledger, size } = await sealedLog(running.database.url, client.ledger!);
  const files = createFence(fenceIn(dataDir), 'second', () => performance.now());
  const fence: Fence = {
    raise: (note) => files.raise(note),
    reload: () => files.reload(),
    shown: () => files.shown(),
    async last(origin) {
      await stored(client, 'symbol', { handle: 'meanwhile', factor: 100 });
      const more = await sealedLog(running.database.url, client.ledger!);
      expect((await running.server.service.logs.current(ledger, more.size))?.size).toBe(size + 1);
      return files.last(origin);
    },
  };
  const { keys } = running.server.service;
  const publisher = createPublisher({
    on: pool,
    fence,
    metrics: { stopped: () => expect.unreachable() },
    logger: pino({ level: 'silent' }),
    clock: () => performance.now(),
    policy: undefined,
    suite: native,
    systemKey: createSystemKeyOf(keys, native, createSystemKeys(pool)),
    logCodes: createLogCodes(keys.codes),
  });
  expect((await publisher.newest(ledger))?.size).toBe(size + 1);
  await pool.end();
  await running.stop();
  await rm(dataDir, { recursive: true });
});
