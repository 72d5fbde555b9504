import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Milliseconds that requests took, sorted. */
export type Latencies = readonly number[];

/** A victim that reads one small record all the time, in a thread of its own: what the test does keeps it from nothing. */
export interface Sampler {
  /** What the reads took since it was asked the last time; those that are not answered yet, what they have taken so far. */
  take(): Promise<Latencies>;
  stop(): Promise<void>;
}

/** What a read that is refused counts as, in milliseconds. */
export const REFUSED = 60_000;

/** Milliseconds that the slowest of a hundred reads may take under an attack: one body of 0.9 MB takes about 20 of the event loop. */
const SLOWEST = 30;

/** What the slowest of a hundred reads may take under an attack, given those while nothing else was asked. */
export function greatest(quiet: Latencies): number {
  return Math.max(2 * quantile(quiet, 0.99), SLOWEST);
}

/**
 * Several connections, which the processes of a service share among them, one read each at a time.
 */
const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads');
const http = require('node:http');
let taken = [];
const pending = new Set();
const read = (agent) => new Promise((resolve) => {
  const began = performance.now();
  pending.add(began);
  const done = (took) => (pending.delete(began), resolve(took));
  const request = http.get(workerData.url, { agent, headers: { 'x-ledger': workerData.ledger } }, (answer) => {
    answer.resume();
    answer.on('end', () => done(answer.statusCode === 200 ? performance.now() - began : ${REFUSED}));
  });
  request.on('error', () => done(${REFUSED}));
});
const lane = async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    taken.push(await read(agent));
    await new Promise((resolve) => setTimeout(resolve, workerData.pause));
  }
};
for (let i = 0; i < 4; i += 1) lane();
parentPort.on('message', () => {
  parentPort.postMessage([...taken, ...[...pending].map((began) => performance.now() - began)]);
  taken = [];
});
`;

/**
 * Starts to read.
 *
 * @param pause milliseconds that each connection waits before its next read
 */
export function startSampler(url: string, ledger: string, pause: number): Sampler {
  const thread = new Worker(SCRIPT, { eval: true, workerData: { url, ledger, pause } });
  return {
    async take() {
      thread.postMessage('take');
      const [taken] = (await once(thread, 'message')) as [number[]];
      return taken.sort((one, other) => one - other);
    },
    stop: async () => void (await thread.terminate()),
  };
}

/** The latency that the given part of the reads did not exceed. */
export function quantile(taken: Latencies, part: number): number {
  return taken[Math.min(taken.length - 1, Math.floor(part * taken.length))] ?? 0;
}
