import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop } from './processes.mjs';

/**
 * Works in a folder with processes, and leaves neither behind, also when it is interrupted.
 *
 * @param data a folder that is left as it is; one in the temporary folder, which is removed, unless given
 * @param work called with the folder, and with a list that it adds the processes to, and whatever else has a `stop()`
 * @returns what the work returns
 */
export async function inFolder(data, work) {
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'countersign-bench-')));
  const children = [];
  const stopAll = async () => {
    // The load first: a server asked to end finishes what is open.
    for (const one of children.reverse()) await ('stop' in one ? one.stop() : stop(one));
    if (data === undefined) await rm(folder, { recursive: true, force: true });
  };
  const interrupted = () => void stopAll().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
  try {
    return await work(folder, children);
  } finally {
    await stopAll();
  }
}
