import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeDurably } from '../src/files.js';
import { findPostgres } from '../src/find.js';
import { stopLeftBehind } from '../src/left-behind.js';

/** What another user may put where root, or the server's user, looks for PostgreSQL. */
let place: string;
let cluster: string;
let socket: string;
let fake: Server;
let reached: number;

/** The owner of PostgreSQL's files, and somebody else. */
const [owner, stranger] = [4711, 4712];

const isRoot = process.geteuid?.() === 0;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'own-file-'));
  cluster = join(place, 'postgres/cluster');
  socket = join(place, 'socket');
  await mkdir(cluster, { recursive: true });
  await mkdir(socket);
  await writeFile(join(place, 'postgres/password'), 'password\n');
  const status = [process.pid, cluster, 0, 5432, socket, '', '', 'ready', ''].join('\n');
  await writeFile(join(cluster, 'postmaster.pid'), status);
  reached = 0;
  fake = createServer((client) => {
    reached += 1;
    client.destroy();
  });
  fake.listen(join(socket, '.s.PGSQL.5432'));
  await once(fake, 'listening');
});

afterEach(async () => {
  fake.close();
  await rm(place, { recursive: true });
});

const find = () => findPostgres(place, 'embedded');

async function giveTo(uid: number, ...paths: string[]): Promise<void> {
  for (const path of paths) await chown(path, uid, uid);
}

it.runIf(isRoot)('a socket in a folder of somebody else is not connected to', async () => {
  await giveTo(owner, join(place, 'postgres'), join(place, 'postgres/password'), join(cluster, 'postmaster.pid'));
  await giveTo(stranger, socket);
  expect(await find()).toBeUndefined();
  expect(reached).toBe(0);
  // The owner's is.
  await giveTo(owner, socket);
  await find().catch(() => {});
  await vi.waitFor(() => expect(reached).toBeGreaterThan(0));
});

it.runIf(process.platform !== 'win32')('a link in place of the folder of the socket is not followed', async () => {
  const link = join(place, 'link');
  await symlink(socket, link);
  const file = join(cluster, 'postmaster.pid');
  await writeFile(file, (await readFile(file, 'utf8')).replace(socket, link));
  expect(await find()).toBeUndefined();
  expect(reached).toBe(0);
});

it.runIf(isRoot).each(['password', 'cluster/postmaster.pid'])(
  'a file of somebody else in place of %s is not read',
  async (name) => {
    await giveTo(owner, join(place, 'postgres'), socket);
    for (const other of ['password', 'cluster/postmaster.pid']) {
      if (other !== name) await giveTo(owner, join(place, 'postgres', other));
    }
    await expect(find()).rejects.toThrow(`is not a file of the user with id ${owner}`);
    expect(reached).toBe(0);
  },
);

it.runIf(process.platform !== 'win32').each(['password', 'cluster/postmaster.pid'])(
  'a link in place of %s is not followed',
  async (name) => {
    const file = join(place, 'postgres', name);
    await writeFile(join(place, 'target'), await readFile(file, 'utf8'));
    await rm(file);
    await symlink(join(place, 'target'), file);
    await expect(find()).rejects.toMatchObject({ code: 'ELOOP' });
    expect(reached).toBe(0);
  },
);

it.runIf(process.platform !== 'win32')('a start writes through no link', async () => {
  const target = join(place, 'target');
  await writeFile(target, '999999999 of somebody else\n');
  const file = join(cluster, 'postmaster.pid');
  await rm(file);
  await symlink(target, file);
  await expect(stopLeftBehind(cluster, () => {})).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(writeDurably(file, 'replaced\n', 0o600)).rejects.toMatchObject({ code: 'ELOOP' });
  expect(await readFile(target, 'utf8')).toBe('999999999 of somebody else\n');
});
