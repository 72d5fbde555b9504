import { once } from 'node:events';
import { rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Frame, FrameReader, formatFrame } from '../../src/siblings/frames.js';
import { query } from '../events/support.js';
import { eventually } from '../support/eventually.js';
import { send, TwoSiblings } from './handing-scene.js';
import { type MoneyScene, transfer } from './scene.js';
import { settled } from './under-way.js';

const siblings = new TwoSiblings();
const one = [transfer('alice', 'bob', 1)];

const read = (frame: Buffer): Frame => new FrameReader().take(frame)[0]!;

/** What becomes of a frame on its way to the home. */
type Fault = (frame: Buffer, from: Socket, home: Socket) => void;

/** Lays a line between the home of a ledger and those who call it anew. @returns takes it away */
async function tap(money: MoneyScene, fault: Fault): Promise<() => Promise<void>> {
  const path = await siblings.pathOfHome(money);
  await rename(path, `${path}.home`);
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const home = connect(`${path}.home`);
    for (const socket of [from, home]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
    }
    const reader = new FrameReader();
    from.on('data', (chunk) => {
      for (const frame of reader.take(chunk)) fault(formatFrame(frame), from, home);
    });
  });
  server.listen(path);
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    for (const socket of open) socket.destroy();
    server.close();
    await closed;
    await rename(`${path}.home`, path);
  };
}

/** A ledger whose home a further server is, which nobody has called yet, behind such a line. */
async function makeFaulty(fault: Fault) {
  const home = await siblings.start();
  const { money, other } = await siblings.makeLedger({}, home);
  const mend = await tap(money, fault);
  return {
    money,
    other,
    async end() {
      await mend();
      await home.stop();
      Object.assign(money, { client: other });
    },
  };
}

async function storedOf(luid: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    siblings.first,
    "select count(*)::int as count from change where luid = $1 and action = 'create'",
    [luid],
  );
  return row!.count;
}

describe('an intent is decided on, and its client is told so, when', () => {
  it('the answer of the home makes no sense', async () => {
    const { money, other, end } = await makeFaulty((frame, from) => {
      const { number } = read(frame);
      from.write(formatFrame({ number, text: '{"outcome":{"result":"perhaps"}}' }));
    });
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect(await settled(money, handle)).toBe('completed');
    await end();
  });

  it('nobody listens where the home should', async () => {
    const home = await siblings.start();
    const { money, other } = await siblings.makeLedger({}, home);
    await rm(await siblings.pathOfHome(money));
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect(await settled(money, handle)).toBe('completed');
    // One that is only accepted has the same trail.
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    expect(body.data).toHaveLength(8);
    expect(await money.trail(handle)).toHaveLength(9);
    await home.stop();
  });

  it.each(['../../elsewhere/x', 'nobody', '1/2/0123456789abcdef', ''])('the home is called %j', async (holder) => {
    const { money, other } = await siblings.makeLedger();
    await query(
      siblings.first,
      `update home set holder = $1, until = clock_timestamp() + interval '2 seconds'
        where ledger_id = (select id from ledger where handle = $2)`,
      [holder, other.ledger],
    );
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect(await settled(money, handle)).toBe('completed');
  });
});

describe('what is no intent', () => {
  const head = (length: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(length);
    return bytes;
  };
  const framed = (text: string) => formatFrame({ number: 1, text });
  const ledger = '["$ldg.unknown",1]';

  it.each([
    ['a frame that is too long', head(0xffffffff)],
    ['a frame that is too short', head(3)],
    ['no lines', framed('garbled')],
    ['too many lines', framed(`${ledger}\n[]\n{}\n`)],
    ['a head that is no list', framed('{}\n[]\n{}')],
    ['a version that is no number', framed('["x","1"]\n[]\n{}')],
  ])('closes the connection and changes nothing: %s', async (_, bytes) => {
    const { money, other } = await siblings.makeLedger();
    const told = siblings.lines.length;
    const socket = connect(await siblings.pathOfHome(money));
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
    expect(siblings.lines.slice(told).join()).toContain('a process of this machine was not understood');
    const { handle } = await send(other, one);
    expect((await money.read(handle)).meta.status).toBe('completed');
  });

  it.each([
    ['no write', (_: unknown[]) => []],
    ['a write of another ledger', ([strangers, write]: [unknown, object]) => [strangers, { ...write, ledger: 0 }]],
    ['a change', ([strangers, write]: [unknown, object]) => [strangers, { ...write, action: 'update' }]],
    ['another kind', ([strangers, write]: [unknown, object]) => [strangers, { ...write, kind: 'wallet' }]],
    ['another record', ([strangers, write]: [unknown, object]) => [strangers, { ...write, luid: '$int.other' }]],
    ['strangers that are none', ([, write]: [unknown, object]) => [[1], write]],
  ])('of a ledger that is there, neither: %s', async (_, spoil) => {
    const { money, other, end } = await makeFaulty((frame, from, home) => {
      const { number, text } = read(frame);
      const [first, second, third] = text.split('\n');
      // biome-ignore lint/suspicious/noExplicitAny: what is sent is any JSON
      const spoilt = JSON.stringify((spoil as any)(JSON.parse(second!)));
      home.write(formatFrame({ number, text: [first, spoilt, third].join('\n') }));
      home.once('close', () => from.destroy());
    });
    const told = siblings.lines.length;
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect(siblings.lines.slice(told).join()).toContain('a process of this machine was not understood');
    expect(await settled(money, handle)).toBe('completed');
    expect(await storedOf(answer.body.luid)).toBe(1);
    await end();
  });

  it('is read by nobody but the user of the service', async () => {
    await eventually(async () => expect((await stat(siblings.folder)).mode & 0o077).toBe(0));
  });
});
