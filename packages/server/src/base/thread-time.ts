import { readFileSync } from 'node:fs';

/** What Linux says of the thread that reads it: nanoseconds on a processor, then waiting for one, then how often. */
const SCHEDSTAT = '/proc/thread-self/schedstat';

/**
 * Milliseconds of processor time that this thread has taken, on Linux to about 4 ms: what else the machine does takes none of it.
 * Elsewhere it is a clock, as long as Node.js has no `process.threadCpuUsage`.
 */
export const threadTime: () => number = choose();

function choose(): () => number {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => { user: number; system: number } };
  if (threadCpuUsage) {
    return () => {
      const { user, system } = threadCpuUsage.call(process);
      return (user + system) / 1_000;
    };
  }
  const read = () => Number(readFileSync(SCHEDSTAT, 'latin1').split(' ', 1)) / 1e6;
  try {
    return read() > 0 ? read : () => performance.now();
  } catch {
    return () => performance.now();
  }
}
