import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

const soak = fileURLToPath(new URL('../../../../scripts/soak.mjs', import.meta.url));

// What is broken takes its time to be whole again: too long for a run of all tests.
it.runIf(process.env.LONG_TESTS && process.platform === 'linux')(
  'loses nothing of writes, payments and events while workers, database, receivers and banks are ended',
  async () => {
    const out = await mkdtemp(join(tmpdir(), 'countersign-soak-report-'));
    try {
      const args = [soak, 'everything', '--minutes', '2', '--rate', '15', '--out', out];
      const { stdout } = await run(process.execPath, args, { timeout: 1_700_000 });
      expect(stdout).toContain('soak: as it has to be');
      const report = await readFile(join(out, 'report.md'), 'utf8');
      expect(report).toMatch(/^# As it has to be: everything at once/);
      for (const broken of ['worker killed', 'PostgreSQL ended: fast', 'receiver closed', 'bank killed'])
        expect(report).toMatch(new RegExp(`^\\| ${broken} \\| [1-9]\\d* \\|$`, 'm'));
    } finally {
      await rm(out, { recursive: true });
    }
  },
  1_800_000,
);
