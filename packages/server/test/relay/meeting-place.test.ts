import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeMeetingPlace } from '../../src/cluster/meeting-place.js';
import { socketPath } from '../../src/http/relay/socket-path.js';

const HOLDER = `host/1/${'a'.repeat(16)}`;
const logger = pino({ level: 'silent' });
const before = process.env.TMPDIR;
let base: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'm-'));
});

afterEach(async () => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await rm(base, { recursive: true });
});

/** Has temporary files lie at a path of that many bytes. */
async function useTemporary(bytes: number): Promise<string> {
  const folder = join(base, 'd'.repeat(bytes - base.length - 1));
  await mkdir(folder);
  process.env.TMPDIR = folder;
  return folder;
}

// `/countersign-`, six letters of mkdtemp, a slash and the sixteen of the name are 36 bytes; a path has 103 at most.
it('a folder is made where the paths of sockets are short enough', async () => {
  await useTemporary(103 - 36);
  const place = await makeMeetingPlace(logger);
  await access(place!.folder);
  expect(socketPath(place!.folder, HOLDER)).toHaveLength(103);
  await place!.remove();
});

it('none is made or left where the system would cut them, so that they lead out of the folder', async () => {
  const folder = await useTemporary(104 - 36);
  expect(await makeMeetingPlace(logger)).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
  expect(socketPath(join(folder, 'countersign-abcdef'), HOLDER)).toBeUndefined();
});
