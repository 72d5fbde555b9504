import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newLedger } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { ok } from '../../../server/test/support/scene.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();

it('countersign admin works beside the server that runs the embedded PostgreSQL, and on its folder once it has stopped', async () => {
  const data = join(folder.path, 'data');
  const port = String(await freePort());
  const cli = new Cli(folder.path, { METRICS_PORT: 'off', WORKERS: '1' });
  const url = `http://127.0.0.1:${port}/v2`;
  const child = cli.start(['serve', '--port', port, '--data', data]);
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await eventually(async () => expect((await fetch(url)).status).toBe(200));
    const client = await newLedger(url);
    const admin = (...args: string[]) => cli.call(['admin', ...args, '--data', data]);
    const beside = await admin('suspend', client.ledger!, '--reason', 'Beside.');
    expect([beside.code, beside.err.split('\n')[0]]).toEqual([0, `✓ ${client.ledger} is suspended: no writes.`]);
    const refused = await client.create('/wallets', { handle: 'w' });
    expect(refused.body.data.detail).toMatch(/: Beside\.$/);
    expect((await admin('doctor')).out).toMatch(/^✓ disk .* GiB free where /m);
    ok(await client.get('/ledger'));
    child.kill('SIGTERM');
    await ended;
    expect((await admin('resume', client.ledger!)).code).toBe(0);
    expect(existsSync(join(data, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
  } finally {
    child.kill('SIGKILL');
  }
}, 300_000);
