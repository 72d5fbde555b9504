import { readFileSync } from 'node:fs';
import { median } from '../../../bench/table.mjs';

/** Milliseconds from one sample to the next. */
export const SAMPLE = 5_000;

/** Mebibytes an hour, and part of what is held, that a process may grow by and still counts as flat. */
const FLAT = { absolute: 16, part: 0.1 };

/** Minutes of a load that is too short to tell. */
const SHORT = 20;

/** Points that a line is laid through at most. */
const MOST_POINTS = 800;

/** Part of the samples that were due in the second half, of which a process must be in so many: PostgreSQL is away at times. */
const SEEN = 0.7;

/**
 * Samples the memory of each process: its proportional set size without PostgreSQL's shared buffers, which fill until they are as large as
 * they are set to.
 */
export class Memory {
  /** `{ seconds, primary, spared, workers, postgres, buffers }` in MiB, `workers` of all but the one that is spared. */
  samples = [];
  #server;
  #spared;
  #began = performance.now();

  /** @param spared id of the worker that is never killed */
  constructor(server, spared) {
    this.#server = server;
    this.#spared = spared;
  }

  sample() {
    const sums = { primary: 0, spared: 0, workers: 0, postgres: 0, buffers: 0 };
    for (const { pid, what } of this.#server.processes()) {
      const held = heldBy(pid);
      if (held === undefined) continue;
      const name = what !== 'worker' ? what : pid === this.#spared ? 'spared' : 'workers';
      sums[name] += held.all - held.shared;
      sums.buffers += held.shared;
    }
    this.samples.push({ seconds: (performance.now() - this.#began) / 1_000, ...sums });
  }

  /**
   * What each process grew by in the second half: `[{ name, mean, greatest, slope, points, verdict }]`, the last `flat`, `grows` or `too
   * few samples`; undefined for what is not judged, and where the load was too short.
   *
   * @param seconds length of the load
   */
  verdicts(seconds) {
    const half = this.samples.slice(Math.floor(this.samples.length / 2));
    const isShort = seconds < SHORT * 60;
    const least = (SEEN * seconds * 1_000) / SAMPLE / 2;
    return ['primary', 'spared', 'workers', 'postgres', 'buffers'].map((name) => {
      // PostgreSQL is away at times.
      const points = half.filter((sample) => sample[name] > 0).map((sample) => [sample.seconds, sample[name]]);
      const mean = points.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, points.length);
      const slope = slopeOf(points) * 3_600;
      const isJudged = name === 'primary' || name === 'spared' || name === 'postgres';
      const isFlat = slope <= Math.max(FLAT.absolute, FLAT.part * mean);
      const judged = points.length < least ? 'too few samples' : isFlat ? 'flat' : 'grows';
      const greatest = Math.max(0, ...points.map(([, value]) => value));
      const verdict = isJudged && !isShort ? judged : undefined;
      return { name, mean, greatest, slope, points: points.length, verdict };
    });
  }
}

/**
 * The slope of a line through points: the median of the slopes between any two (Theil and Sen). A collection that gives memory back for some
 * minutes moves it little, where least squares take the way back up for growth.
 */
export function slopeOf(all) {
  // Of a long run, some: there are as many pairs as the square.
  const every = Math.ceil(all.length / MOST_POINTS);
  const points = all.filter((_, at) => at % every === 0);
  const slopes = points.flatMap(([x, y], at) =>
    points.slice(at + 1).flatMap(([laterX, laterY]) => (laterX === x ? [] : [(laterY - y) / (laterX - x)])),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** MiB in all, and of these in shared memory; nothing once it has ended. */
function heldBy(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const of = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) / 1_024;
    return { all: of('Pss'), shared: of('Pss_Shmem') };
  } catch {
    return undefined;
  }
}
