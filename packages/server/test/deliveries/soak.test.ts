import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const soak = fileURLToPath(new URL('../../../../scripts/soak.mjs', import.meta.url));

it.skipIf(process.platform === 'win32')(
  'delivers every event at least once, and none that was not raised, while servers and receivers are killed',
  async () => {
    const { stdout } = await run(process.execPath, [soak, '--events', '240'], { timeout: 280_000 });
    expect(stdout).toMatch(/^missing +0$/m);
    expect(stdout).toMatch(/^invented +0$/m);
    expect(stdout).toMatch(/^bodies that do not verify +0$/m);
    expect(stdout).toMatch(/deliveries that do not verify: 0$/m);
    expect(stdout).toContain('soak: as it has to be');
  },
  300_000,
);
