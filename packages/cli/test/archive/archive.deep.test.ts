import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatProofFile, formatVkey, inclusionProof, noteKey } from '@countersign/protocol/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyKind } from '../../../server/test/archive/every-kind.js';
import { Draft, signed, systemKey } from '../../../server/test/archive/tree/draft.js';
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

  it('leaves no file of a ledger that is not there', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { code, err } = await operator(from).call(['export', 'nobody', '--file', at('nobody')]);
      expect([code, err]).toEqual([4, expect.stringContaining('There is no ledger nobody')]);
    }
    await expect(stat(at('nobody'))).rejects.toThrow('ENOENT');
  });

  it('says which build has written it', async () => {
    const { version } = JSON.parse(
      await readFile(new URL('../../../server/package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    const { build } = JSON.parse((await readFile(at('plain'), 'utf8')).split('\n')[0]!) as { build: string };
    expect(build.split('+')[0]).toBe(version);
  });

  it('fails when nobody reads standard output to its end', async () => {
    // More than a pipe holds.
    expect((await stat(at('plain'))).size).toBeGreaterThan(150_000);
    const child = operator(from).start(['export', ledger]);
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'close');
    expect([code, told]).toEqual([4, expect.stringContaining('Standard output was closed before all was written.')]);
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

  it('holds an export against checkpoints that were kept, and against a policy (interface/log-verifying)', async () => {
    const headerOf = async (name: string) => JSON.parse((await readFile(at(name), 'utf8')).split('\n')[0]!);
    const { log, keys } = await headerOf('plain');
    await writeFile(at('june'), log.checkpoint);
    await scene.issue('alice', 1);
    await operator(from).done(['export', ledger, '--file', at('later')]);
    const later = (await headerOf('later')).log;
    await writeFile(at('july'), later.checkpoint);
    expect(later.size).toBeGreaterThan(log.size);
    const key = Buffer.from(keys.system, 'base64');
    const policy = (public_: Uint8Array) =>
      writeFile(at('policy'), `log ${formatVkey(noteKey(log.origin, 'note', public_))}\nquorum none\n`);
    await policy(key);
    const { json } = await reader(from).done([
      'verify',
      at('later'),
      '--checkpoint',
      at('june'),
      at('july'),
      '--policy',
      at('policy'),
      '--json',
    ]);
    expect(json).toMatchObject({ ok: true, log: { leaves: later.size, waiting: 0, erased: 0 } });
    expect(json.checked.join()).toContain('2 checkpoints from elsewhere: the log goes on from each.');
    const back = await reader(from).call(['verify', at('plain'), '--checkpoint', at('july')]);
    expect(back.code).toBe(1);
    expect(back.out).toContain(
      `has a log of ${log.size} leaves, and the checkpoint ${at('july')} is of ${later.size}: the export was cut off, or the log set back`,
    );
    await policy(key.map((byte) => byte ^ 1));
    const stranger = await reader(from).call(['verify', at('later'), '--policy', at('policy')]);
    expect([stranger.code, stranger.out]).toEqual([1, expect.stringContaining('is not to be taken')]);
  });

  it('verifies one version by its proof of inclusion, offline', async () => {
    const draft = Draft.of(await readFile(at('plain'), 'utf8'));
    const key = await systemKey(from, ledger);
    const hashes = draft.hashes().slice(0, 200);
    const { origin } = draft.header.log;
    const size = hashes.length;
    const checkpoint = await signed(key, origin, hashes);
    const read = async () => Buffer.concat(hashes);
    const vkey = formatVkey(noteKey(origin, 'note', Buffer.from(draft.header.keys.system, 'base64')));
    for (const is of [1, 2]) {
      const { leaf, change, text } = draft.leaves.find((line) => line.change === is && line.leaf.index < size);
      const { index, salt } = leaf;
      const proof = await inclusionProof(index, size, read);
      const file = formatProofFile({ extra: Buffer.from(salt, 'base64'), index, proof, checkpoint });
      await writeFile(at('record'), is === 1 ? text : `${text}\n`);
      await writeFile(at('proof'), file);
      const call = (what: string, more: string[] = ['--vkey', vkey, '--change', `${change}`]) =>
        reader(from).call(['verify', at(what), '--proof', at('proof'), ...more, '--json']);
      const { code, json } = await call('record');
      expect([code, json]).toEqual([0, expect.objectContaining({ ok: true, index, size, origin, change })]);
      await writeFile(at('edited'), text.replace('"handle":"', '"handle":"x'));
      const edited = await call('edited');
      expect([edited.code, edited.err]).toEqual([
        1,
        expect.stringContaining(`the entry is not at ${index} of the tree`),
      ]);
      expect((await call('record', ['--vkey', vkey, '--change', '3'])).code).toBe(1);
      const stranger = formatVkey(noteKey(origin, 'note', Buffer.alloc(32, 1)));
      expect((await call('record', ['--vkey', stranger, '--change', `${change}`])).code).toBe(1);
      expect((await call('record', [])).code).toBe(2);
    }
  });

  it('says what is wrong with the files that an export is held against: 2', async () => {
    await writeFile(at('other'), 'hello\n');
    const none = await reader(from).call(['verify', at('plain'), '--checkpoint', at('none')]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining(`The file ${at('none')} is missing`)]);
    const policy = await reader(from).call(['verify', at('plain'), '--policy', at('other')]);
    expect([policy.code, policy.err]).toEqual([
      2,
      expect.stringContaining('is not a policy: a policy has no statement'),
    ]);
    const served = await reader(from).call(['verify', '--policy', at('other')]);
    expect([served.code, served.err]).toEqual([2, expect.stringContaining('need an export')]);
  });

  it('is no export: 4', async () => {
    await writeFile(at('other'), 'hello\n');
    const { code, err } = await reader(from).call(['verify', at('other')]);
    expect([code, err]).toEqual([4, expect.stringContaining('The file is not an export of a ledger')]);
  });

  it('imports into another deployment, which then verifies like the first', async () => {
    await operator(from).done(['export', ledger, '--file', at('keys'), '--with-keys'], { env: PASSPHRASE });
    const [header = ''] = (await readFile(at('keys'), 'utf8')).split('\n');
    expect(JSON.parse(header).secrets).toMatchObject({ kdf: 'scrypt', n: 131_072, r: 8, p: 1 });
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
