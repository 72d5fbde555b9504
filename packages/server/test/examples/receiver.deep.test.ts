import { appendFile, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENT_BOUNDS } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newLedger, systemKeyOf, type TestClient } from '../support/client.js';
import { read } from '../support/documents.js';
import { type Outgoing, outgoingOf } from '../support/outgoing.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { ReceiverProcess, sendBlindly, sendInPieces } from './receiver-process.js';

const running = withOwnServer();
let client: TestClient;
let folder: string;
let receivers: ReceiverProcess[];

beforeEach(async () => {
  client = await newLedger(running.current.url);
  folder = await mkdtemp(join(tmpdir(), 'countersign-receiver-'));
  receivers = [];
});

afterEach(async () => {
  for (const receiver of receivers) await receiver.stop('SIGKILL');
  await rm(folder, { recursive: true });
});

async function start(settings: Record<string, string> = {}): Promise<ReceiverProcess> {
  const ledger = { LEDGER_URL: running.current.url, LEDGER: client.ledger ?? '' };
  const receiver = await ReceiverProcess.start({ ...ledger, STATE: folder, ...settings });
  receivers.push(receiver);
  return receiver;
}

/** Deliveries of as many events, each of a wallet that was created. */
async function deliveries(count: number, of = client): Promise<Outgoing[]> {
  await stored(of, 'effect', { handle: 'hook', signal: 'wallet-created', action: { endpoint: 'https://r.example/' } });
  for (let at = 0; at < count; at++) await stored(of, 'wallet', { handle: `shop-${at}` });
  return outgoingOf(running.current, of);
}

/** The files in the folder that this process has open. */
async function openIn(path: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const files = await Promise.all(descriptors.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')));
  return files.filter((file) => file.startsWith(`${path}/`));
}

/** How an event is printed. */
const lineOf = ({ id, body }: Outgoing) =>
  `${JSON.parse(body).meta.proofs[0].custom.moment} ${JSON.parse(body).data.signal} ${id}`;

describe('the example of a receiver', () => {
  it('is one file of at most 150 lines', () => {
    expect(read('examples/receiver/receiver.mjs').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('verifies an event with the key of the ledger, prints it on one line, and answers 2xx', async () => {
    const receiver = await start();
    expect(receiver.out).toBe(`receiving on ${receiver.url} what ${systemKeyOf(client)} has signed\n`);
    const sent = await deliveries(2);
    for (const one of sent) expect(await receiver.send(one)).toBe(204);
    expect(await receiver.printed()).toEqual(sent.map(lineOf));
    expect(receiver.err).toBe('');
  });

  it('handles an event once, however often and by however many effects it is delivered', async () => {
    const receiver = await start();
    await stored(client, 'effect', { handle: 'second', signal: 'wallet-created', action: { bridge: 'b' } });
    const [one, other, ...others] = await deliveries(1);
    expect(others).toEqual([]);
    expect(other?.id).toBe(one?.id);
    const statuses = await Promise.all([one!, other!, one!, one!, other!].map((each) => receiver.send(each)));
    expect([...statuses, await receiver.send(one!)]).toEqual(Array(6).fill(204));
    expect((await receiver.printed()).map((line) => line.split(' ').at(-1))).toEqual([one?.id]);
  });

  it('handles it once also when attempts come at the same time', async () => {
    const receiver = await start();
    const [one] = await deliveries(1);
    const attempts = Array.from({ length: 20 }, () => receiver.send(one!));
    expect(new Set(await Promise.all(attempts))).toEqual(new Set([204]));
    expect(await receiver.printed()).toEqual([lineOf(one!)]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('remembers after a restart what it has handled (%s)', async (signal) => {
    const first = await start();
    const [one, two] = await deliveries(2);
    expect(await first.send(one!)).toBe(204);
    await first.stop(signal);
    // What a crash may leave: the beginning of a line.
    await appendFile(join(folder, 'handled'), `\n${two!.id.slice(0, 9)}`);
    const second = await start();
    expect([await second.send(one!), await second.send(two!)]).toEqual([204, 204]);
    expect(await second.printed()).toEqual([lineOf(two!)]);
    const third = await start();
    expect([await third.send(one!), await third.send(two!)]).toEqual([204, 204]);
    expect(await third.printed()).toEqual([]);
  });

  it('remembers a bounded number of events, in memory and on disk', async () => {
    const first = await start({ REMEMBER: '3' });
    const sent = await deliveries(7);
    for (const one of sent) expect(await first.send(one)).toBe(204);
    const handlesIn = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim().split('\n');
    expect(await handlesIn('handled.older')).toEqual(sent.slice(3, 6).map(({ id }) => id));
    expect(await handlesIn('handled')).toEqual([sent[6]!.id]);
    for (const one of sent.slice(3)) expect(await first.send(one)).toBe(204);
    expect(await first.printed()).toEqual(sent.map(lineOf));
    const second = await start({ REMEMBER: '3' });
    for (const one of sent.slice(3)) expect(await second.send(one)).toBe(204);
    expect(await second.send(sent[0]!)).toBe(204);
    expect(await second.printed()).toEqual([lineOf(sent[0]!)]);
  });
});

describe('the example as a module', () => {
  it('closes its files when it is closed', async () => {
    const module = new URL('../../../../examples/receiver/receiver.mjs', import.meta.url).href;
    const { startReceiver } = await import(module);
    const { close } = await startReceiver({ key: systemKeyOf(client), folder, onEvent: () => undefined });
    expect(await openIn(folder)).toEqual([join(folder, 'handled')]);
    await close();
    expect(await openIn(folder)).toEqual([]);
  });
});

describe('the key that the example believes', () => {
  it('is asked for once and kept: a restart needs no ledger', async () => {
    await (await start()).stop();
    expect(await readFile(join(folder, 'ledger.key'), 'utf8')).toBe(`${systemKeyOf(client)}\n`);
    const receiver = await start({ LEDGER_URL: 'http://127.0.0.1:9/v2' });
    const [one] = await deliveries(1);
    expect(await receiver.send(one!)).toBe(204);
  });

  it('is the one it has kept, though the same address tells another later', async () => {
    await (await start()).stop();
    const other = await newLedger(running.current.url);
    const receiver = await start({ LEDGER: other.ledger ?? '' });
    const [theirs] = await deliveries(1, other);
    expect(await receiver.send(theirs!)).toBe(400);
    expect(await receiver.printed()).toEqual([]);
  });

  it('is pinned by hand without asking anyone', async () => {
    const receiver = await start({ LEDGER_URL: 'http://127.0.0.1:9/v2', LEDGER: '', LEDGER_KEY: systemKeyOf(client) });
    const [one] = await deliveries(1);
    expect(await receiver.send(one!)).toBe(204);
    const strict = await start({
      LEDGER_KEY: systemKeyOf(await newLedger(running.current.url)),
      STATE: join(folder, 'x'),
    });
    expect(await strict.send(one!)).toBe(400);
    expect(await strict.printed()).toEqual([]);
    expect(strict.err).toBe("refused: signature: No v1a signature is by the ledger's key over this delivery\n");
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'no ledger is named',
      { LEDGER: '' },
      'receiver: Set LEDGER to the handle of the ledger, or LEDGER_KEY to its key\n',
    ],
    ['the key is none', { LEDGER_KEY: 'abc' }, 'receiver: The key of a ledger is 32 bytes in base64\n'],
    ['nobody answers', { LEDGER_URL: 'http://127.0.0.1:9/v2' }, 'receiver: fetch failed\n'],
  ])('must be there: a start is refused when %s', async (_, settings, line) => {
    const ledger = { LEDGER_URL: running.current.url, LEDGER: client.ledger ?? '' };
    const receiver = new ReceiverProcess({ ...ledger, STATE: folder, ...settings });
    receivers.push(receiver);
    expect(await receiver.ended()).toBe(1);
    expect({ out: receiver.out, err: receiver.err }).toEqual({ out: '', err: line });
  });

  it('is not taken from a ledger that does not tell it', async () => {
    const closed = await newLedger(running.current.url, { access: [] });
    const receiver = new ReceiverProcess({
      LEDGER_URL: running.current.url,
      LEDGER: closed.ledger ?? '',
      STATE: folder,
    });
    receivers.push(receiver);
    expect(await receiver.ended()).toBe(1);
    expect(receiver.err).toMatch(/^receiver: .* tells no key of ledger-/);
  });
});

describe('the example refuses, and handles nothing of,', () => {
  const altered: [string, (sent: Outgoing) => { body?: string; headers?: object }, number, string][] = [
    ['a body that was altered', ({ body }) => ({ body: body.replace('shop-', 'shop-1') }), 400, 'signature: '],
    ['a body with white space added', ({ body }) => ({ body: `${body} ` }), 400, 'signature: '],
    ['no JSON', () => ({ body: '<event/>' }), 400, 'signature: '],
    [
      'an attempt of ten minutes ago',
      ({ headers }) => ({ headers: headers(new Date(Date.now() - 600_000)) }),
      400,
      'time: ',
    ],
    [
      'an attempt of the future',
      ({ headers }) => ({ headers: headers(new Date(Date.now() + 600_000)) }),
      400,
      'time: ',
    ],
    ['another id', () => ({ headers: { 'webhook-id': 'evt_-3DJukm0_cCfFjorN' } }), 400, 'signature: '],
    ['no signature', () => ({ headers: { 'webhook-signature': '' } }), 400, 'signature: '],
    ['an id that is none', () => ({ headers: { 'webhook-id': 'msg_1' } }), 400, 'malformed: '],
  ];

  it('what is not, to the letter and in time, what the ledger has signed', async () => {
    const receiver = await start();
    const sent = await deliveries(altered.length);
    for (const [index, [name, change, status]] of altered.entries()) {
      const one = sent[index]!;
      expect(await receiver.send(one, change(one)), name).toBe(status);
      expect(await receiver.send(one), name).toBe(204);
    }
    expect(await receiver.printed()).toEqual(sent.map(lineOf));
    const refusals = receiver.err.trimEnd().split('\n');
    expect(refusals.map((line) => /^refused: \w+: /.exec(line)?.[0])).toEqual(
      altered.map(([, , , reason]) => `refused: ${reason}`),
    );
  });

  it('an event of another ledger, and headers of another event', async () => {
    const receiver = await start();
    const [own] = await deliveries(1);
    const [theirs] = await deliveries(1, await newLedger(running.current.url));
    expect(await receiver.send(theirs!)).toBe(400);
    const { system } = await running.current.server.service.ledgers.resolve(client.ledger ?? '');
    const mixed = { ...system.webhook(theirs!.id, new Date(), own!.body) };
    expect(await receiver.send(own!, { headers: mixed })).toBe(400);
    const unsigned = { ...system.webhook(theirs!.id, new Date(), theirs!.body) };
    expect(await receiver.send(theirs!, { headers: unsigned })).toBe(400);
    expect(await receiver.printed()).toEqual([]);
  });

  it('signals that it was not told to want, with 501; it takes them once it is', async () => {
    const first = await start({ SIGNALS: 'wallet-updated,wallet-dropped' });
    const [one] = await deliveries(1);
    expect(await first.send(one!)).toBe(501);
    expect(await first.printed()).toEqual([]);
    const second = await start({ SIGNALS: 'wallet-updated,wallet-created' });
    expect(await second.send(one!)).toBe(204);
    expect(await second.printed()).toEqual([lineOf(one!)]);
  });

  it('other methods', async () => {
    const receiver = await start();
    expect((await fetch(receiver.url)).status).toBe(405);
  });
});

describe('the example bounds', () => {
  it('the size of a body, told or not, at the largest event', async () => {
    const receiver = await start();
    const [one] = await deliveries(1);
    const { system } = await running.current.server.service.ledgers.resolve(client.ledger ?? '');
    const padded = (size: number) => one!.body + ' '.repeat(size - Buffer.byteLength(one!.body));
    const sendSized = (size: number, told: boolean) => {
      const body = padded(size);
      const headers: Record<string, string> = { ...system.webhook(one!.id, new Date(), body) };
      if (told) headers['content-length'] = String(size);
      return sendInPieces(receiver.url, headers, (send, end) => {
        // What is told to be too large is refused before it is sent.
        send(told ? body.slice(0, 1_000) : body);
        if (!told) end();
      });
    };
    for (const told of [true, false]) expect(await sendSized(EVENT_BOUNDS.size + 1, told)).toBe(413);
    expect(await sendSized(EVENT_BOUNDS.size, false)).toBe(204);
    expect(await receiver.printed()).toEqual([lineOf(one!)]);
  });

  it('what it reads of a body that it has refused, so that the sender gets the answer', async () => {
    const { url } = await start({ PATIENCE: '2000' });
    const refused = 'HTTP/1.1 413 Payload Too Large';
    const one = EVENT_BOUNDS.size + 1;
    expect(await sendBlindly(url, one, EVENT_BOUNDS.size)).toBe(refused);
    expect(await sendBlindly(url, one, one)).toBe(refused);
    await expect(sendBlindly(url, 8 * one, 8 * one)).rejects.toThrow(/EPIPE|ECONNRESET/);
  });

  it('the time that a body may take, and serves others meanwhile', async () => {
    const receiver = await start({ PATIENCE: '2000' });
    const [one, two] = await deliveries(2);
    const { body, headers } = one!;
    let drip: NodeJS.Timeout | undefined;
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const status = sendInPieces(receiver.url, { ...headers(), ...length }, (send) => {
      let at = 0;
      drip = setInterval(() => at < body.length - 1 && send(body[at++] ?? ''), 50);
    });
    expect(await receiver.send(two!)).toBe(204);
    expect(await status).toBe(408);
    clearInterval(drip);
    expect(await receiver.printed()).toEqual([lineOf(two!)]);
    expect(receiver.err).toBe('');
  });
});
