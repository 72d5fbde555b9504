import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
/** Most of the work is to start what was killed. Pauses between attempts grow: an event that is refused ten times waits for minutes. */
const SMALL = ['--events', '100', '--kills', '2', '--workers', '1', '--refusals', '2'];
const SIZE = process.env.LONG_TESTS ? ['--events', '2000'] : SMALL;

const soak = fileURLToPath(new URL('../../../../scripts/soak.mjs', import.meta.url));

it.skipIf(process.platform === 'win32')(
  'delivers every event at least once, and none that was not raised, while servers and receivers are killed',
  async () => {
    const { stdout } = await run(process.execPath, [soak, ...SIZE], { timeout: 280_000 });
    expect(stdout).toMatch(/^missing +0$/m);
    expect(stdout).toMatch(/^invented +0$/m);
    expect(stdout).toMatch(/^bodies that do not verify +0$/m);
    expect(stdout).toMatch(/deliveries that do not verify: 0$/m);
    expect(stdout).toContain('soak: as it has to be');
  },
  300_000,
);
