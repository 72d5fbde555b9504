import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { leaveNothingBehind, startService } from '../durability/service.js';
import { newLedger } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { stored } from '../support/scene.js';
import { assault } from './assault.js';
import { type Latencies, type Sampler, startSampler } from './sampler.js';
import type { Attack, Sizes } from './shapes.js';

/** What an attack did. */
export interface Outcome {
  /** Of the victim's reads. */
  readonly reads: Latencies;
  /** Milliseconds of processor time: the longest in which the event loop of a process did not come round. */
  readonly stretch: number;
  /** Reads right before and after, while nothing else was asked: they tell how busy the machine is with other things. */
  readonly quiet: Latencies;
  /** How many of the attacker's requests ended. */
  readonly answered: number;
}

/** How an attack goes. */
export interface Course {
  readonly milliseconds: number;
  /** How many requests are under way at a time. */
  readonly atATime: number;
  /** Milliseconds for which the service is left alone, twice before and twice after it. */
  readonly rest: number;
  /** Whether the first request counts: that of an attack whose like is refused once it was seen. */
  readonly isFirstCounted?: boolean;
}

/** A service of two processes, in which a victim reads a small record of its ledger all the time. */
export interface Field {
  /** Makes what the attack needs, then sends its request. */
  attacked(attack: Attack, sizes: Sizes, course: Course): Promise<Outcome>;
  end(): Promise<void>;
}

const probe = fileURLToPath(new URL('./probe.cjs', import.meta.url));

/**
 * Starts the service and the victim.
 *
 * @param between milliseconds between the reads of a connection of the victim's; what is measured needs many
 * @param more settings of the service
 */
export async function startField(between = 5, more: NodeJS.ProcessEnv = {}): Promise<Field> {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-field-')));
  const stretches = join(dataDir, 'stretches');
  const probeDir = await mkdtemp(stretches);
  makeDataDir(dataDir);
  const service = await startService(dataDir, 2, {
    ...more,
    PROBE_DIR: probeDir,
    NODE_OPTIONS: `--require ${probe}`,
  });
  const client = await newLedger(service.url);
  await stored(client, 'wallet', { handle: 'small' });
  const sampler = startSampler(`${service.url}/wallets/small`, client.ledger ?? '', between);
  return {
    async attacked(attack, sizes, { milliseconds, atATime, rest, isFirstCounted = false }) {
      const request = await attack.prepare(service.url, sizes);
      // What is compiled once for all, and the first time code runs, is nobody's attack.
      if (!isFirstCounted) await request().catch(() => {});
      const before = await quiet(sampler, rest);
      await longest(probeDir);
      const answered = await assault(request, atATime, milliseconds);
      const outcome = { answered, reads: await sampler.take(), stretch: await longest(probeDir) };
      const after = await quiet(sampler, rest);
      return { ...outcome, quiet: [...before, ...after].sort((one, other) => one - other) };
    },
    async end() {
      await sampler.stop();
      await service.stop();
      await leaveNothingBehind(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Reads while nothing else is asked, once what came before has passed. */
async function quiet(sampler: Sampler, rest: number): Promise<Latencies> {
  await pause(rest);
  await sampler.take();
  await pause(rest);
  return sampler.take();
}

/** The longest stretch that a process told of since this was asked the last time. */
async function longest(probeDir: string): Promise<number> {
  let longest = 0;
  for (const name of await readdir(probeDir)) {
    longest = Math.max(longest, Number(await readFile(join(probeDir, name), 'utf8')));
    await rm(join(probeDir, name), { force: true });
  }
  return longest;
}
