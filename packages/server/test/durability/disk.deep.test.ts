import { execFileSync } from 'node:child_process';
import { mkdtemp, open, realpath, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseLimits } from '../../src/store/database-limits.js';
import { atOnce, tally } from '../store/intact.js';
import { newLedger, type TestAnswer, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { killPostgres, leaveNothingBehind, type Service, startService } from './service.js';

const MIB = 1024 * 1024;
const SIZE = 512 * MIB;
const UNAVAILABLE = '503 api.unexpected-error';

/** A small disk, or why there can be none here. */
function mount(folder: string): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has a tmpfs';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=711`, 'tmpfs', folder], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const disk = await realpath(await mkdtemp(join(tmpdir(), 'countersign-disk-')));
const why = mount(disk);
if (why !== undefined) {
  console.warn(`NOT TESTED: what a full disk does. No small disk can be mounted here (root may): ${why}`);
  await rm(disk, { recursive: true });
}

describe.skipIf(why !== undefined)('a service whose disk is full', () => {
  let service: Service;
  let client: TestClient;
  const acknowledged: string[] = [];

  beforeAll(async () => {
    service = await startService(disk);
    client = await newLedger(service.url);
  });

  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(disk);
    execFileSync('umount', ['-l', disk]);
    await rm(disk, { recursive: true });
  });

  const free = async () => {
    const { bavail, bsize } = await statfs(disk);
    return bavail * bsize;
  };

  /** Takes the disk until so many bytes are left. */
  async function fill(left: number): Promise<void> {
    const file = await open(join(disk, 'other'), 'a');
    const chunk = Buffer.alloc(MIB);
    try {
      for (let room = (await free()) - left; room > 0; room = (await free()) - left) {
        await file.write(chunk, 0, Math.min(room, MIB));
      }
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    } finally {
      await file.close();
    }
  }
  const clear = () => rm(join(disk, 'other'));

  let made = 0;
  async function write(): Promise<TestAnswer> {
    made += 1;
    const answer = await client.create('/wallets', { handle: `w-${made}` });
    if (answer.status === 201) acknowledged.push(answer.text);
    return answer;
  }

  /** Every read is answered with what the write was answered with. */
  async function expectAll(): Promise<void> {
    expect(acknowledged.length).toBeGreaterThan(0);
    for (const text of acknowledged) expect((await client.get(`/wallets/${JSON.parse(text).luid}`)).text).toBe(text);
  }

  it('refuses writes while there is still room for reads, and takes them again when there is more', async () => {
    expect((await write()).status).toBe(201);
    await fill(databaseLimits.freeDisk.write - MIB);
    // Each process looks at the disk by itself.
    await eventually(async () => {
      const answers = await atOnce(6, write);
      expect(tally(answers)).toEqual({ [UNAVAILABLE]: 6 });
      for (const { headers } of answers) expect(headers.get('retry-after')).toMatch(/^\d+$/);
    });
    await eventually(async () => {
      made += 1;
      const data = { handle: `late-${made}`, signer: 'system', access: [] };
      expect((await client.in(undefined).create('/ledgers', data)).status).toBe(503);
    });
    await expectAll();
    expect((await client.get('/wallets')).status).toBe(200);
    await clear();
    await eventually(async () => expect((await write()).status).toBe(201));
  });

  it('stays when PostgreSQL ends for want of room, and has everything when there is some again', async () => {
    await fill(0);
    const workers = service.workers();
    await killPostgres(disk);
    await eventually(async () => expect((await write()).status).toBe(503));
    // More often than it would be started again for any other reason.
    await eventually(() => {
      expect(service.errors().match(/No space left on device/g)?.length).toBeGreaterThan(0);
    });
    expect((await fetch(new URL('/health/live', service.url))).status).toBe(200);
    await eventually(async () => expect((await fetch(new URL('/health/ready', service.url))).status).toBe(503));
    await clear();
    await eventually(async () => expect((await write()).status).toBe(201));
    await expectAll();
    expect(service.workers()).toEqual(workers);
  });
});
