import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatVkey, parseNote, parseVkey, verifyNote } from '@countersign/protocol/log';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { Cli, withFolder } from '../support/cli.js';
import { TestLog, testWitnessKey } from '../support/tree.js';

const folder = withFolder();

describe('witness', () => {
  it('prints its key, and remembers what it cosigned through kill -9 at any moment', async () => {
    const cli = new Cli(folder.path);
    const { seed } = testWitnessKey();
    writeFileSync(join(folder.path, 'seed'), seed.toString('hex'));
    const log = new TestLog('test.example/log/killed');
    writeFileSync(join(folder.path, 'logs'), `# logs\n\nlog ${formatVkey(log.key)} https://test.example/log\n`);
    const port = await freePort();
    const options = ['--key-file', 'seed', '--name', 'w.test', '--logs', 'logs', '--state', 'states'];
    const args = ['witness', ...options, '--port', String(port)];
    const start = async () => {
      const child = cli.start(args);
      let out = '';
      child.stdout.on('data', (text: Buffer) => {
        out += text;
      });
      await eventually(() => expect(out).toContain(`on port ${port}`));
      return { child, vkey: out.split('\n')[0] as string };
    };
    const send = async (old: number, size: number) => {
      const body = await log.body(old, size);
      const answer = await fetch(`http://127.0.0.1:${port}/add-checkpoint`, { method: 'POST', body });
      return { status: answer.status, text: await answer.text() };
    };
    let known = 0;
    for (let round = 0; round < 4; round += 1) {
      const { child, vkey } = await start();
      if (round > 0) {
        // What was answered is remembered. A request that was cut off may have been stored, too.
        const { status, text } = await send(0, 1);
        expect(status).toBe(409);
        expect(Number(text)).toBeGreaterThanOrEqual(known);
        known = Number(text);
      }
      for (let at = 0; at < 3; at += 1) {
        log.add(`${round}/${at}`, 'more');
        const { status, text } = await send(known, log.size);
        expect(status, text).toBe(200);
        expect(verifyNote(parseNote((await log.note()) + text), [parseVkey(vkey)])).toHaveLength(1);
        known = log.size;
      }
      log.add('cut off');
      const cut = send(known, log.size).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      child.kill('SIGKILL');
      await once(child, 'close');
      await cut;
    }
    const { child } = await start();
    const second = await cli.spawn([...args.slice(0, -1), String(await freePort())]);
    expect([second.code, second.err.split('\n')[0]]).toEqual([
      4,
      `✗ The folder states is in use by process ${child.pid}.`,
    ]);
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
  });

  it('cosigns with a key of the store, and refuses what it cannot begin with', async () => {
    const cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
    const vkey = formatVkey(new TestLog('test.example/log/one').key);
    await cli.done(['key', 'create', 'w1']);
    const firstLine = async (...args: string[]) => {
      const { code, err } = await cli.call(['witness', ...args]);
      return [code, err.split('\n')[0]];
    };
    const named = ['--key', 'w1', '--name', 'w.test'];
    expect(await firstLine(...named)).toEqual([2, '✗ No log is known.']);
    expect(await firstLine(...named, '--log', 'nonsense')).toEqual([
      2,
      expect.stringMatching(/^✗ The verifier key nonsense cannot be read: /),
    ]);
    const other = formatVkey(testWitnessKey().key);
    expect(await firstLine(...named, '--log', other)).toEqual([2, `✗ The verifier key ${other} is that of a witness.`]);
    expect(await firstLine('--name', 'w.test', '--log', vkey)).toEqual([2, '✗ Which key?']);
    expect(await firstLine('--key', 'w1', '--log', vkey)).toEqual([2, '✗ --name is missing.']);
    expect(await firstLine('--key', 'w1', '--name', 'a b', '--log', vkey)).toEqual([
      2,
      '✗ --name cannot be read: a key has no such name.',
    ]);
    const port = await freePort();
    const child = cli.start(['witness', ...named, '--log', vkey, '--port', String(port)]);
    let out = '';
    child.stdout.on('data', (text: Buffer) => {
      out += text;
    });
    await eventually(() => expect(out).toContain('Keys of logs that it knows: 1.'));
    const { public: key } = (await cli.done(['key', 'list', '--json'])).json[0];
    expect(Buffer.from(parseVkey(out.split('\n')[0] as string).publicKey).toString('base64')).toBe(key);
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
  });
});
