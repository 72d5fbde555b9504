import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { npm } from './support.js';

/** The tests of the packages of a release: installed in an empty folder. @param out the folder that the release was made in */
export function testPackages(out: string, version: string): void {
  let home: string;
  let installed: { stdout: string; stderr: string };
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'countersign-install-'));
    const files = [out, join(out, 'postgres')].map(async (folder) =>
      (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => join(folder, name)),
    );
    installed = await npm('npm', ['install', '--prefer-offline', ...(await Promise.all(files)).flat()], home);
  }, 300_000);

  afterAll(async () => {
    if (server?.exitCode === null && server.signalCode === null) {
      // The pipes are closed when the server and its database, too, have ended.
      server.kill('SIGTERM');
      await once(server, 'close');
    }
    await rm(home, { recursive: true, force: true });
  });

  it('runs no script, so that npm has nothing to warn of', async () => {
    expect(installed.stderr).not.toMatch(/script/i);
    const lock = JSON.parse(await readFile(join(home, 'package-lock.json'), 'utf8')).packages;
    expect(Object.values<{ hasInstallScript?: boolean }>(lock).filter((one) => one.hasInstallScript)).toEqual([]);
    expect(Object.keys(lock)).toContain('node_modules/countersign');
  });

  it('serves by `npx countersign serve`, tells its build, and shows its documentation', async () => {
    const port = await freePort();
    const { DATABASE_URL: _, PUBLIC_URL: __, MASTER_KEY: ___, ...env } = process.env;
    const child = spawn('npx', ['countersign', 'serve', '--port', String(port)], {
      cwd: home,
      env: { ...env, WORKERS: '1' },
    });
    server = child;
    let out = '';
    let err = '';
    child.stdout.on('data', (text: Buffer) => {
      out += text;
    });
    child.stderr.on('data', (text: Buffer) => {
      err += text;
    });
    await eventually(() => expect(out, err).toContain(`listening on http://127.0.0.1:${port}/v2`));
    // What it advises is there.
    await eventually(() => expect(out).toContain(`npx countersign init acme --server http://127.0.0.1:${port}/v2\n`));
    expect(out).not.toContain('npm run');
    const { data } = (await (await fetch(`http://127.0.0.1:${port}/v2`)).json()) as { data: { build: string } };
    expect(data.build).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')}\\+[0-9a-f]{7,}$`));
    const list = await (await fetch(`http://127.0.0.1:${port}/docs/cli.html`)).text();
    expect(list).toContain('href="./cli/wallet.html#countersign-wallet-create"');
    const page = await fetch(`http://127.0.0.1:${port}/docs/cli/wallet.html`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('id="countersign-wallet-create"')]);

    const asked = ['countersign', 'init', 'acme', '--signer', 'owner', '--server', `http://127.0.0.1:${port}/v2`];
    const state = { COUNTERSIGN_HOME: join(home, 'state'), COUNTERSIGN_PASSWORD: 'correct horse' };
    await npm('npx', asked, home, state);
    // The pipes are closed when the server, too, has ended.
    child.kill('SIGTERM');
    await once(child, 'close');
    await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow('fetch failed');
  });
}
