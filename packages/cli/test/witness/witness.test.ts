import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portable } from '@countersign/protocol';
import { parseNote, verifyNote } from '@countersign/protocol/log';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/test/support/eventually.js';
import '../../../server/test/support/seed.js';
import { createWitness } from '../../src/witness/server.js';
import { folderName, type OpenStates, openStates, statesIn, type WitnessStates } from '../../src/witness/states.js';
import { addCheckpoint, type WitnessDeps } from '../../src/witness/witness.js';
import { TestLog, testWitnessKey } from '../support/tree.js';

const NOW = 1_800_000_000_000;
const own = testWitnessKey();
const logs = Array.from({ length: 40 }, (_, at) => new TestLog(`test.example/log/${at}`));
const lines: string[] = [];
let folder: string;
let states: OpenStates;
let server: Server;
let url: string;
let log: TestLog;
let used = 0;

const meansOf = (states: WitnessStates): WitnessDeps => ({
  logs: logs.map(({ key }) => key),
  key: own.key,
  sign: own.sign,
  states,
  suite: portable,
  now: () => NOW,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-witness-'));
  states = await openStates(folder);
  server = createWitness({ ...meansOf(states), log: (line) => lines.push(line) }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await states.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  log = logs[used] as TestLog;
  used += 1;
});

async function post(body: string | Uint8Array) {
  const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body: body as string });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

/** The file of a state on the disk. */
async function fileOf({ origin }: TestLog): Promise<string> {
  const numbers = (await readdir(join(folder, folderName(origin)))).map(Number);
  return join(folder, folderName(origin), String(Math.max(...numbers)));
}

/** The size that the state has on the disk. */
async function kept(log: TestLog): Promise<number | undefined> {
  const note = await fileOf(log).then(
    (path) => readFile(path, 'utf8'),
    () => undefined,
  );
  return note === undefined ? undefined : Number(note.split('\n')[1]);
}

describe('add-checkpoint', () => {
  it('cosigns each checkpoint that goes on from the one before', async () => {
    for (const [old, size] of [
      [0, 1],
      [1, 3],
      [3, 8],
      [8, 8],
      [8, 300],
    ] as const) {
      while (log.size < size) log.add(`leaf ${log.size}`);
      const { status, type, text } = await post(await log.body(old));
      expect([status, type], text).toEqual([200, 'text/plain; charset=utf-8']);
      expect(text).toMatch(/^— witness\.test\/w1 \S+\n$/);
      const note = parseNote((await log.note()) + text);
      expect(verifyNote(note, [own.key])).toEqual([{ key: own.key, time: NOW / 1000 }]);
      expect(await kept(log)).toBe(size);
    }
    const last = await fetch(`${url}/${folderName(log.origin)}/checkpoint`);
    expect(verifyNote(parseNote(await last.text()), [log.key, own.key])).toHaveLength(2);
  });

  it('tells the size that it has to whoever goes on from another', async () => {
    log.add('a', 'b', 'c', 'd');
    await post(await log.body(0, 2));
    for (const old of [0, 1, 3]) {
      expect(await post(await log.body(old))).toEqual({ status: 409, type: 'text/x.tlog.size', text: '2\n' });
    }
    expect((await post(await log.body(2))).status).toBe(200);
    // Back to a tree of before.
    expect((await post(await log.body(0, 2))).status).toBe(409);
    expect((await post(await log.body(2, 2))).status).toBe(409);
    expect(await kept(log)).toBe(4);
  });

  it('refuses a fork: another tree of the same size, or one that does not begin with the tree it has', async () => {
    log.add('a', 'b', 'c');
    await post(await log.body(0));
    log.leaves.splice(1, 1);
    log.add('other');
    expect((await post(await log.body(3))).status).toBe(422);
    log.add('d', 'e');
    expect((await post(await log.body(3))).status).toBe(422);
    expect((await post(await log.body(3, 5, []))).status).toBe(422);
    expect(await kept(log)).toBe(3);
  });

  it('refuses a first tree with a proof, and a root of nothing that is none', async () => {
    log.add('a', 'b', 'c');
    expect((await post(await log.body(0, 3, [Buffer.alloc(32)]))).status).toBe(422);
    expect((await post(await log.body(0, 0))).status).toBe(200);
  });

  it('knows only its logs and their keys', async () => {
    const stranger = new TestLog('test.example/log/stranger').add('a');
    expect((await post(await stranger.body(0))).status).toBe(404);
    const impostor = new TestLog(log.origin).add('a');
    expect((await post(await impostor.body(0))).status).toBe(403);
    // The key of one log says nothing of another.
    log.add('a');
    const other = logs.at(-1) as TestLog;
    const note = await log.note(1, other.origin);
    expect((await post(`old 0\n\n${note}`)).status).toBe(403);
    const signature = (await log.note()).split('\n\n')[1] as string;
    expect((await post(`${await log.body(0)}${signature}`)).status).toBe(400);
    expect(await kept(log)).toBeUndefined();
  });

  it('refuses an old tree that is larger', async () => {
    log.add('a', 'b');
    await post(await log.body(0));
    expect((await post(`old 2\n\n${await log.note(1)}`)).status).toBe(400);
    expect((await post(`old 9\n\n${await log.note(1)}`)).status).toBe(400);
  });

  it('lets one of many win that go on from the same tree at once', async () => {
    for (let at = 0; at < 40; at += 1) log.add(`leaf ${at}`);
    const bodies = await Promise.all(log.leaves.map((_, at) => log.body(0, at + 1)));
    const answers = await Promise.all(bodies.map(post));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(39);
    const won = answers.findIndex(({ status }) => status === 200) + 1;
    expect(await kept(log)).toBe(won);
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ text }) => text))).toEqual(
      new Set([`${won}\n`]),
    );
  });

  it('fails, and cosigns nothing, when its file is spoilt', async () => {
    log.add('a', 'b');
    await post(await log.body(0, 1));
    for (const spoilt of ['', 'nonsense', await logs.at(-1)?.add('x').note()]) {
      await writeFile(await fileOf(log), spoilt as string);
      for (const old of [0, 1]) expect((await post(await log.body(old))).status).toBe(500);
    }
  });
});

describe('whatever is sent', () => {
  it('is answered 400 when it is no request of this form', async () => {
    log.add('a');
    const good = Buffer.from(await log.body(0));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }).map(Buffer.from),
          fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 })).map(([at, byte]) => {
            const changed = Buffer.from(good);
            changed[at] = byte;
            return changed;
          }),
          fc.nat(good.length - 1).map((length) => good.subarray(0, length)),
        ),
        async (body) => {
          const { status } = await post(body);
          expect(body.equals(good) ? [200, 409] : [400, 403, 404, 409, 422]).toContain(status);
        },
      ),
      { numRuns: process.env.LONG_TESTS ? 3_000 : 100 },
    );
    // A byte may have been changed to what it was: then it was cosigned before.
    expect([200, 409]).toContain((await post(good)).status);
  });

  it('is refused when it is too large, of another method, or elsewhere', async () => {
    expect((await post(Buffer.alloc(81_921, 'a'))).status).toBe(413);
    expect((await post(Buffer.alloc(81_920, 'a'))).status).toBe(400);
    expect((await fetch(`${url}/add-checkpoint`)).status).toBe(405);
    expect((await fetch(`${url}/lock.1/checkpoint`)).status).toBe(404);
    expect((await fetch(`${url}/${'0'.repeat(64)}/checkpoint`)).status).toBe(404);
  });

  /** A connection that has sent this. */
  async function connection(sent: string): Promise<Socket> {
    const socket = connectSocket((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (sent !== '') await new Promise<void>((resolve) => socket.write(sent, () => resolve()));
    return socket;
  }
  const HALF = 'POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nold 0';

  it('does not stay: a request that never ends is given up', async () => {
    const socket = await connection(HALF);
    let text = '';
    for await (const part of socket) text += part;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toMatch(/\nA body is sent within 2 s\.\n$/);
  });

  it('keeps nobody else out while it is half sent', async () => {
    log.add('a');
    const halves = await Promise.all(Array.from({ length: 100 }, () => connection(HALF)));
    expect((await post(await log.body(0))).status).toBe(200);
    for (const socket of halves) socket.destroy();
  });

  it('comes by so many connections of one address', async () => {
    // What earlier tests keep alive is part of them.
    server.closeAllConnections();
    const sockets = await Promise.all(Array.from({ length: 129 }, () => connection('')));
    const isClosed = (socket: Socket) => socket.destroyed || socket.readableEnded;
    for (const socket of sockets) socket.resume();
    await eventually(() => expect(sockets.filter(isClosed)).toHaveLength(1));
    for (const socket of sockets) socket.destroy();
    log.add('a');
    const body = await log.body(0);
    await eventually(async () => expect((await post(body)).status).toBe(200));
  });

  it('leaves one line of the log', async () => {
    log.add('a');
    lines.length = 0;
    await post(await log.body(0));
    expect(lines).toEqual([`2027-01-15T08:00:00.000Z POST /add-checkpoint 200 0 ms ${log.origin} 1`]);
  });
});

it('says what it is', async () => {
  const text = await (await fetch(`${url}/`)).text();
  expect(text).toContain('C2SP tlog-witness');
  expect(text).toMatch(/\nwitness\.test\/w1\+[0-9a-f]{8}\+\S+\n$/);
});

describe('a folder of states', () => {
  it('is of one process at a time, and taken over from one that has ended', async () => {
    await expect(openStates(folder)).rejects.toThrow(`The folder ${folder} is in use by process ${process.pid}.`);
    const other = await mkdtemp(join(tmpdir(), 'countersign-witness-'));
    await writeFile(join(other, 'lock.7'), '999999999 gone\n');
    const first = await openStates(other);
    await expect(openStates(other)).rejects.toThrow('is in use');
    await first.close();
    // Of many that start at once, one has it.
    const opened = await Promise.allSettled(Array.from({ length: 10 }, () => openStates(other)));
    const won = opened.filter(({ status }) => status === 'fulfilled');
    expect(won.length).toBeLessThanOrEqual(1);
    expect((await readdir(other)).filter((name) => name.startsWith('lock.')).length).toBeGreaterThan(0);
    await rm(other, { recursive: true });
  });

  it('leads nobody to two trees when several processes use it all the same, as containers can', async () => {
    // Each has what it needs of its own, as a process has, and no lock.
    const witnesses = Array.from({ length: 3 }, () => meansOf(statesIn(folder)));
    log.add('first');
    await post(await log.body(0));
    for (let round = 0; round < 30; round += 1) {
      const old = log.size;
      const forks = witnesses.map((_, at) => {
        const fork = log.fork().add(`round ${round}`, ...Array.from({ length: at }, (_, more) => `fork ${at}.${more}`));
        return fork;
      });
      const verdicts = await Promise.all(
        forks.map(async (fork, at) => addCheckpoint(witnesses[at]!, Buffer.from(await fork.body(old)))),
      );
      const won = forks.filter((_, at) => verdicts[at]?.status === 200);
      expect(won).toHaveLength(1);
      log.leaves.splice(0, log.size, ...won[0]!.leaves);
      expect(await kept(log)).toBe(log.size);
      const lost = verdicts.filter(({ status }) => status !== 200);
      expect(lost.map(({ status, text }) => [status, text])).toEqual(lost.map(() => [409, `${log.size}\n`]));
    }
    // A process that slept meanwhile.
    expect(await witnesses[0]!.states.keep(log.origin, await log.note(), 1)).toBe(false);
    expect((await readdir(join(folder, folderName(log.origin)))).length).toBeLessThanOrEqual(4);
  });
});
