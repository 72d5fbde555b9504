import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/documents.js';
import { freePort } from '../support/free-port.js';
import { runBeside } from '../support/program.js';

const BUNDLED = join(root, 'packages/server/test/.bundle/main.js');

it('of several servers of a database each is told of, and which of them to take is advised', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-hosts-'));
  const [one, two] = [await freePort(), await freePort()];
  const url = `postgresql://u:hidden@127.0.0.1:${one},127.0.0.1:${two}/db`;
  const check = (DATABASE_URL: string) =>
    runBeside(process.execPath, [BUNDLED, '--check'], { DATABASE_URL, DATA_DIR: folder });
  try {
    const { err, out } = await check(url);
    expect(err).toBe(
      'countersign: DATABASE_URL names several hosts: add target_session_attrs=read-write, so that none but the primary is used\n',
    );
    const refused = (port: number) => `127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`;
    expect(out).toContain(`None of the hosts of the database can be used. ${refused(one)}; ${refused(two)}\n`);
    expect(out).not.toContain('hidden');
    expect((await check(`${url}?target_session_attrs=primary`)).err).toBe('');
    expect(await check(`${url}?target_session_attrs=standby`)).toEqual({
      status: 2,
      out: '',
      err: 'countersign: DATABASE_URL has a target_session_attrs that is none of any, read-write, primary\n',
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
