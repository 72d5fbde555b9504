import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { withOwnServer } from '../../../server/test/support/server.js';
import { withFolder } from '../support/cli.js';
import { follow } from './follow.js';

const folder = withFolder();
const server = withOwnServer();

/** The command in one file, but for the work against guesses (countersign.mjs). */
const COMMAND = fileURLToPath(new URL('../.bundle/countersign.js', import.meta.url));

/** What a guide needs beside Node.js, bash and curl: it is left out, by name, where that is missing. */
const NEEDS: readonly (readonly [guide: string, ...programs: string[]])[] = [
  ['with-the-client'],
  ['access'],
  ['schemas'],
  ['tokens-and-oauth'],
  ['signing-by-hand', 'jq', 'openssl'],
];

for (const [guide, ...programs] of NEEDS) {
  const missing = programs.filter((program) => !isThere(program));
  if (missing.length > 0) console.warn(`docs/guides/${guide}.md is not followed: ${missing.join(', ')} not installed`);
  it.skipIf(missing.length > 0)(`docs/guides/${guide}.md works as printed`, { timeout: 240_000 }, async () => {
    const home = join(folder.path, guide);
    await mkdir(home);
    const { url } = server.current;
    await follow(`docs/guides/${guide}.md`, {
      home,
      env: { COUNTERSIGN_SERVER: url },
      instead: [
        ['http://127.0.0.1:3000/v2', url],
        // Most of the time would be npx looking for the command, and keys being opened; the quick start is followed with it.
        ['npx countersign', `node '${COMMAND}'`],
      ],
    });
  });
}

it('README.md has a program that works as printed', { timeout: 240_000 }, async () => {
  const home = join(folder.path, 'readme');
  await mkdir(home);
  await follow('README.md', { home, chapter: 'From a program', env: { COUNTERSIGN_SERVER: server.current.url } });
});

function isThere(program: string): boolean {
  try {
    execFileSync('bash', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
