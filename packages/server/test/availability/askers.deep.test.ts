import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind, metricsOfAll, type Service, startService } from '../durability/service.js';
import { newLedger } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { type Elsewhere, startElsewhere } from './elsewhere.js';
import { greatest, quantile, REFUSED, type Sampler, startSampler } from './sampler.js';

/** Milliseconds of processor time of all serving processes. An answer from memory takes a third of one, metrics of all took twelve. */
const EACH = 4;

/** Milliseconds of a warm-up, and of reads while nothing else is asked. A 99th percentile takes as many as those that it is compared with. */
const MEASURED = process.env.LONG_TESTS ? 2_000 : 200;

/** Milliseconds for which strangers ask: thousands of answers, of which what one costs is told by hundredths of a second of processor time. */
const ASKED = process.env.LONG_TESTS ? 2_000 : 500;

describe.skipIf(process.platform !== 'linux')('what a server tells anybody of itself', () => {
  let dataDir: string;
  let service: Service;
  let victim: Sampler;
  let strangers: Elsewhere;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-askers-')));
    makeDataDir(dataDir);
    service = await startService(dataDir);
    const client = await newLedger(service.url);
    strangers = startElsewhere();
    victim = startSampler(`${service.url}/signers/system`, client.ledger ?? '', 5);
  });

  afterAll(async () => {
    strangers?.end();
    await victim?.stop();
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each(['/health', '/health/ready', '/metrics'])('costs next to nothing at %s, however many ask', async (path) => {
    const ask = (milliseconds: number) => strangers.ask(String(new URL(path, service.url)), 64, milliseconds);
    await ask(MEASURED);
    await victim.take();
    await pause(MEASURED);
    const quiet = await victim.take();
    const before = processorTime(service);
    const answered = await ask(ASKED);
    const spent = processorTime(service) - before;
    const reads = await victim.take();
    expect(answered).toBeGreaterThan(64);
    expect(quantile(reads, 1)).toBeLessThan(REFUSED);
    expect(spent / (answered + reads.length)).toBeLessThan(EACH);
    // The clock tells of the server only where nothing else runs. They are answered as fast as the machine can: 17,000 a second.
    if (process.env.LONG_TESTS) expect(quantile(reads, 0.99)).toBeLessThan(greatest(quiet));
  });

  it('is collected once a second for all who ask for metrics at their own address', async () => {
    expect(await metricsOfAll(service)).toMatch(/^countersign_requests_total\{.*worker="[12]"\} \d/m);
    const before = processorTime(service);
    const answered = await strangers.ask(service.metrics, 64, 2_000);
    const reads = await victim.take();
    expect((processorTime(service) - before) / (answered + reads.length)).toBeLessThan(EACH);
    expect(quantile(reads, 1)).toBeLessThan(REFUSED);
  });
});

/** Milliseconds that the processes which serve have computed, of hundredths of a second. */
function processorTime(service: Service): number {
  return service.workers().reduce((sum, pid) => {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    return sum + 10 * ((user ?? 0) + (system ?? 0));
  }, 0);
}
