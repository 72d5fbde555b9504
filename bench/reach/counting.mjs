import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

/**
 * Loaded into a process of the server before anything else (`--import`): counts which functions are entered, and at each
 * SIGUSR2 writes those since the last one into the folder that REACH_DIR names.
 */
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
let taken = 0;
process.on('SIGUSR2', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const scripts = result
    .filter(({ url }) => url.includes('/packages/') && !url.includes('/node_modules/'))
    .map(({ url, functions }) => ({
      url,
      entered: functions.filter(({ ranges: [{ count }] }) => count > 0).map(name),
    }));
  taken += 1;
  writeFileSync(join(process.env.REACH_DIR, `${process.pid}-${taken}.json`), JSON.stringify(scripts));
});
writeFileSync(join(process.env.REACH_DIR, `${process.pid}.pid`), '');

/** A script's own text is a function without a name, entered when it is loaded. */
function name({ functionName, ranges: [{ startOffset }] }) {
  return startOffset === 0 ? '' : `${functionName || 'anonymous'}@${startOffset}`;
}
