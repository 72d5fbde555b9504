import { once } from 'node:events';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.js';
import { freePort } from '../../server/test/support/free-port.js';
import { withServer } from '../../server/test/support/server.js';
import { Cli, withFolder } from './support/cli.js';

const running = withServer({ deliveryAllowPrivate: true });
const folder = withFolder();
const started: ReturnType<Cli['start']>[] = [];
let cli: Cli;
beforeAll(async () => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
  const name = `receive-${process.pid}`;
  await cli.done(['init', name, '--signer', 'owner', '--server', running.current.url]);
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
  }
});

it('shows what an effect sends, verified, and refuses what the ledger has not signed', async () => {
  const { port, said } = await receiver();
  await effect('tell', port);
  await cli.done(['wallet', 'create', 'shop']);
  await eventually(() =>
    expect(said()).toMatch(/ {2}wallet-created {2}evt_\S+ {2}both signatures verify, answered 200\n\{\n/),
  );
  expect(said()).toContain('"handle": "shop"');
  expect(await statusOf('tell')).toBe('delivered');
  const headers = { 'webhook-id': 'evt_-3DaeYu7Qm_0cCfFj', 'webhook-timestamp': '1', 'webhook-signature': 'v1a,' };
  const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{}' });
  expect(forged.status).toBe(400);
  await eventually(() => expect(said()).toContain('refused with 400: malformed: webhook-timestamp is not in seconds'));
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(405);
  const large = Buffer.alloc(9 * 1024 * 1024 + 1);
  await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: large }).catch(() => undefined);
  await eventually(() => expect(said()).toContain('refused with 413: it has over 9437184 bytes'));
});

it('answers what is asked, a line of JSON each, and by another key refuses', async () => {
  const refusing = await receiver('--status', '501', '--json');
  const other = await receiver('--key', Buffer.alloc(32, 1).toString('base64'));
  await effect('give-up', refusing.port);
  await effect('stranger', other.port);
  await cli.done(['wallet', 'create', 'till']);
  await eventually(() => {
    const line = refusing
      .said()
      .split('\n')
      .find((one) => one.startsWith('{"event"'));
    const { answered, data } = JSON.parse(line ?? '{}');
    expect([answered, data.wallet.data.handle]).toEqual([501, 'till']);
  });
  await eventually(async () => expect(await statusOf('give-up')).toBe('cancelled'));
  await eventually(() => expect(other.said()).toContain('refused with 400: signature: '));
});

it.each([
  [['--status', '99'], "✗ '99' is not a status."],
  [['--port', 'x'], "✗ 'x' is not a port."],
  [['--key', 'abc'], '✗ --key is not the public key of a ledger: abc'],
])('refuses %j', async (options, line) => {
  const { code, err } = await cli.call(['receive', ...options]);
  expect([code, err.split('\n')[0]]).toEqual([2, line]);
});

/** A receiver, and what it has shown so far. */
async function receiver(...options: string[]): Promise<{ readonly port: number; said(): string }> {
  const port = await freePort();
  const child = cli.start(['receive', '--port', String(port), ...options]);
  started.push(child);
  let out = '';
  child.stdout.on('data', (text: Buffer) => {
    out += text;
  });
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(405));
  const before = out.length;
  return { port, said: () => out.slice(before) };
}

function effect(handle: string, port: number) {
  const action = JSON.stringify({ endpoint: `http://127.0.0.1:${port}/` });
  return cli.done(['effect', 'create', handle, '--signal', 'wallet-created', '--action', action]);
}

/** How the newest delivery of an effect stands. */
async function statusOf(effect: string): Promise<string> {
  return (await cli.done(['effect', 'events', 'list', effect, '--json'])).json[0].meta.status;
}
