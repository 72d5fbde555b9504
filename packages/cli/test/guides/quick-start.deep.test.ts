import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read, root } from '../../../server/test/support/documents.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { withFolder } from '../support/cli.js';
import { blocksOf } from './blocks.js';
import { chapterOf, follow } from './follow.js';

const folder = withFolder();

const PAGES = [
  ['README.md', 'Start'],
  ['docs/guides/quick-start.md', undefined],
] as const;

it.each(PAGES)('%s works as printed', { timeout: 240_000 }, async (path, chapter) => {
  const home = join(folder.path, path.replaceAll('/', '-'));
  await mkdir(home);
  // Others may use the ports of the guide on this machine.
  const [port, proxyPort] = [await freePort(), await freePort()];
  await follow(path, {
    home,
    folder: root,
    ...(chapter ? { chapter } : {}),
    env: {
      DATA_DIR: join(home, 'data'),
      PORT: String(port),
      METRICS_PORT: 'off',
      WORKERS: '1',
      COUNTERSIGN_SERVER: `http://127.0.0.1:${port}/v2`,
    },
    instead: [
      ['countersign proxy', `countersign proxy --port ${proxyPort}`],
      ['localhost:4050', `localhost:${proxyPort}`],
      ['localhost:3000', `localhost:${port}`],
    ],
  });
});

it('is the same in the README', () => {
  const [short, long] = PAGES.map(([path, chapter]) => blocksOf(chapterOf(read(path), chapter)));
  const known = long?.map(({ commands }) => commands);
  for (const { commands } of short ?? []) expect(known).toContain(commands);
  expect(short?.length).toBeGreaterThan(4);
});
