import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MAIN } from './support/cli.js';

const misreading = fileURLToPath(new URL('../../server/test/support/misreading.cjs', import.meta.url));

it('does nothing under a Node.js that misreads JSON', () => {
  const call = (...args: string[]) => spawnSync(process.execPath, [...args, MAIN, '--version'], { encoding: 'utf8' });
  expect(call()).toMatchObject({ status: 0, stderr: '' });
  const refused = call('-r', misreading);
  expect(refused).toMatchObject({ status: 4, stdout: '' });
  expect(refused.stderr).toMatch(
    /^countersign: This Node\.js misreads some member names in JSON, .*: use Node\.js 20 or 22\.$/m,
  );
});
