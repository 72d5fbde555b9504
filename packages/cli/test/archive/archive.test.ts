import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyKind } from '../../../server/test/archive/every-kind.js';
import type { MoneyScene } from '../../../server/test/money/scene.js';
import { TestClient } from '../../../server/test/support/client.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();
const PASSPHRASE = { COUNTERSIGN_PASSWORD: 'correct horse' };

let from: RunningServer;
let into: RunningServer;
let scene: MoneyScene;
let ledger: string;

beforeAll(async () => {
  from = await startServer();
  into = await startServer();
  scene = await everyKind(from.url);
  ledger = scene.client.ledger!;
});
afterAll(async () => {
  await from.stop();
  await into.stop();
});

const at = (name: string) => join(folder.path, name);
const operator = ({ database }: RunningServer) =>
  new Cli(folder.path, { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') });
const reader = ({ url }: RunningServer) =>
  new Cli(folder.path, { COUNTERSIGN_SERVER: url, COUNTERSIGN_LEDGER: ledger });

describe('countersign export, verify, import (export)', () => {
  it('exports a ledger to a file that only its owner reads, and verifies it', async () => {
    const { err } = await operator(from).done(['export', ledger, '--file', at('plain')]);
    expect(err).toContain('Without its private keys');
    expect((await stat(at('plain'))).mode & 0o777).toBe(0o600);
    const { json } = await reader(from).done(['verify', at('plain'), '--json']);
    expect(json).toMatchObject({ ok: true, count: 0, findings: [] });
    expect(json.changes).toBeGreaterThan(100);
    expect(json.unchecked.join()).toContain('compare it with one you noted');
  });

  it('writes to standard output, and overwrites no file', async () => {
    const { out } = await operator(from).done(['export', ledger]);
    expect(out.split('\n').slice(1, 200)).toEqual((await readFile(at('plain'), 'utf8')).split('\n').slice(1, 200));
    const again = await operator(from).call(['export', ledger, '--file', at('plain')]);
    expect(again.code).toBe(4);
    expect(again.err).toContain('exists. Give --resume');
  });

  it('goes on with a file that was cut off', async () => {
    const whole = await readFile(at('plain'), 'utf8');
    await writeFile(at('cut'), whole.slice(0, whole.length / 2));
    await operator(from).done(['export', ledger, '--file', at('cut'), '--resume']);
    expect((await reader(from).done(['verify', at('cut')])).err).toContain('Verified');
  });

  it('ends with 1 when something is found, and names it', async () => {
    const text = await readFile(at('plain'), 'utf8');
    await writeFile(at('altered'), text.replace('\\"handle\\":\\"alice\\"', '\\"handle\\":\\"alyce\\"'));
    const { code, out, err } = await reader(from).call(['verify', at('altered')]);
    expect(code).toBe(1);
    expect(out).toMatch(/change 1 of intent \$int\.\S{17}: has another hash than its data/);
    expect(err).toContain('findings');
  });

  it('is no export: 4', async () => {
    await writeFile(at('other'), 'hello\n');
    const { code, err } = await reader(from).call(['verify', at('other')]);
    expect([code, err]).toEqual([4, expect.stringContaining('The file is no export of a ledger')]);
  });

  it('imports into another deployment, which then verifies like the first', async () => {
    await operator(from).done(['export', ledger, '--file', at('keys'), '--with-keys'], { env: PASSPHRASE });
    const wrong = await operator(into).call(['import', at('keys')], { env: { COUNTERSIGN_PASSWORD: 'x' } });
    expect([wrong.code, wrong.err]).toEqual([4, expect.stringContaining('The passphrase is not the one')]);
    await operator(into).done(['import', at('keys')], { env: PASSPHRASE });
    const there = new TestClient(into.url, scene.client.key, ledger);
    expect((await there.get('/wallets/alice')).text).toBe((await scene.client.get('/wallets/alice')).text);
    expect((await reader(into).done(['verify', '--complete'])).err).toContain('Verified');
  });
});

describe('countersign verify of a server (export)', () => {
  it('verifies all that may be read, and one record', async () => {
    const { json } = await reader(from).done(['verify', '--complete', '--json']);
    expect(json).toMatchObject({ ok: true });
    expect(json.balances).toBeGreaterThan(4);
    for (const one of ['wallets/alice', 'ledger', 'circles/circle-signer-a-circle/signers/circle-signer-a']) {
      expect((await reader(from).done(['verify', one])).err).toContain('Verified');
    }
  });

  it('finds another key than the one that was noted', async () => {
    const { code, out } = await reader(from).call([
      'verify',
      'ledger',
      '--key',
      Buffer.alloc(32, 1).toString('base64'),
    ]);
    expect(code).toBe(1);
    expect(out).toContain('and not AQEB');
  });
});
