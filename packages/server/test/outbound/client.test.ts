import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { createOutbound } from '../../src/outbound/client.js';
import { createHostNames } from '../../src/outbound/names.js';
import { createOpenSockets } from '../../src/outbound/open-sockets.js';
import type { Outbound, OutboundCall, OutboundFailure } from '../../src/outbound/outbound.js';
import { outboundLimits } from '../../src/outbound/outbound-limits.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';

let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const sockets = new Set<unknown>();
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  server.on('connection', (socket) => sockets.add(socket));
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let outbound: Outbound | undefined;
const opened = (allowPrivate = true) => {
  outbound = createOutbound({ allowPrivate });
  return outbound;
};
afterEach(() => outbound?.close());

const call = (more: Partial<OutboundCall> = {}): OutboundCall => ({
  ledger: 1,
  method: 'GET',
  url,
  headers: {},
  within: 5_000,
  ...more,
});
const failure = (more?: Partial<OutboundCall>, allowPrivate = true): Promise<OutboundFailure> =>
  opened(allowPrivate)
    .send(call(more))
    .then(
      ({ status }) => Promise.reject(new Error(`Answered ${status}`)),
      (error) => error,
    );

describe('a call', () => {
  it('brings the answer as it is', async () => {
    answer = (request, response) => {
      const { method = '', headers } = request;
      response.writeHead(418, { 'x-seen': `${method} ${headers['x-own']}` });
      request.pipe(response);
    };
    const { status, headers, text } = await opened().send(
      call({ method: 'PUT', headers: { 'x-own': '1' }, body: 'ö' }),
    );
    expect([status, headers['x-seen'], text]).toEqual([418, 'PUT 1', 'ö']);
  });

  it('fails late, and says so', async () => {
    answer = () => undefined;
    expect(await failure({ within: 100 })).toMatchObject({ kind: 'late', code: 'ETIMEDOUT' });
  });

  it('fails when nobody is there, with the code of the system', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/`;
    expect(await failure({ url: nobody })).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' });
    expect(await failure({ url: 'http://bridge.invalid/' })).toMatchObject({ kind: 'unreachable', code: 'ENOTFOUND' });
  });

  it('fails when it would lead inside', async () => {
    expect(await failure({}, false)).toMatchObject({ kind: 'refused' });
  });

  it('fails when it cannot be sent', async () => {
    expect(await failure({ headers: { 'x-own': 'a\nb' } })).toMatchObject({ kind: 'impossible' });
  });

  it('fails when the answer is too large', async () => {
    answer = (_, response) => void response.end('x'.repeat(outboundLimits.answer + 1));
    expect(await failure()).toMatchObject({ kind: 'oversized' });
  });
});

it.each(['bridge.invalid', '127.0.0.1', '[2001:db8::1]'])(
  'a call to %s is known as one of its ledger',
  async (host) => {
    const names = createHostNames();
    outbound = createOutbound({ allowPrivate: false, names });
    const sent = outbound.send(call({ ledger: 7, url: `http://${host}/` }));
    // A connection is made to an address without its brackets.
    expect(names.callers.of(host.replace(/[[\]]/g, ''))).toEqual([7]);
    await expect(sent).rejects.toThrow();
  },
);

describe('many calls', () => {
  it(`of one ledger share ${outboundLimits.connections} connections to one origin`, async () => {
    sockets.clear();
    answer = (_, response) => void setTimeout(() => response.end('done'), 20);
    const out = opened();
    const calls = Array.from({ length: 2 * outboundLimits.connections }, () => out.send(call()));
    const answers = await Promise.all(calls);
    expect(answers.every(({ text }) => text === 'done')).toBe(true);
    expect(sockets.size).toBeLessThanOrEqual(outboundLimits.connections);
  });

  it.each([
    ['one ledger', outboundLimits.calls.ledger, outboundLimits.connections, () => 1],
    ['all ledgers', outboundLimits.calls.process, outboundLimits.calls.process, (index: number) => index],
  ])('of %s may be %i at a time, and not one more', async (_, most, connections, ledgerOf) => {
    const waiting: ServerResponse[] = [];
    answer = (_request, response) => void waiting.push(response);
    const out = opened();
    const calls = Array.from({ length: most }, (_one, index) => out.send(call({ ledger: ledgerOf(index) })));
    await expect(out.send(call({ ledger: ledgerOf(most) }))).rejects.toBeInstanceOf(Overloaded);
    await eventually(() => expect(waiting).toHaveLength(connections));
    answer = (_request, response) => void response.end('done');
    for (const response of waiting) response.end('done');
    expect((await Promise.all(calls)).every(({ text }) => text === 'done')).toBe(true);
    expect((await out.send(call({ ledger: ledgerOf(0) }))).text).toBe('done');
  });

  it('are counted for a ledger also when they fail', async () => {
    const out = opened();
    const nobody = `http://127.0.0.1:${await freePort()}/`;
    for (let count = 0; count <= outboundLimits.calls.ledger; count += 1) {
      await expect(out.send(call({ url: nobody }))).rejects.toMatchObject({ kind: 'unreachable' });
    }
  });

  it('lead to so many origins at a time, and not to one more', async () => {
    const held: ServerResponse[] = [];
    answer = (_request, response) => void held.push(response);
    outbound = createOutbound({ allowPrivate: true, origins: 2 });
    const { port } = new URL(url);
    const to = (host: string) => outbound!.send(call({ url: `http://${host}:${port}/` }));
    const calls = [to('127.0.0.1'), to('localhost')];
    await expect(to('[::ffff:127.0.0.1]')).rejects.toBeInstanceOf(Overloaded);
    await eventually(() => expect(held).toHaveLength(2));
    for (const response of held) response.writeHead(200, { connection: 'close' }).end('done');
    await Promise.all(calls);
    answer = (_request, response) => void response.end('done');
    await eventually(async () => expect((await to('[::ffff:127.0.0.1]')).text).toBe('done'));
  });

  it('keep an idle connection for a moment, whatever the service says', async () => {
    answer = (_request, response) => void response.writeHead(200, { 'keep-alive': 'timeout=600' }).end('done');
    await opened().send(call());
    const kept = () => [...sockets].filter((socket) => !(socket as Socket).destroyed);
    expect(kept().length).toBeGreaterThan(0);
    await eventually(() => expect(kept()).toEqual([]));
  });

  it('of all ledgers keep so many connections open: beyond that the one idle longest is closed, and none with a call', async () => {
    const shared = { allowPrivate: true, idle: 600_000, sockets: createOpenSockets(2) };
    outbound = createOutbound(shared);
    const other = createOutbound(shared);
    const byPath = new Map<string, { readonly socket: Socket; readonly response: ServerResponse }>();
    answer = ({ url: path = '', socket }, response) => {
      byPath.set(path, { socket, response });
      if (path !== '/held') response.end('done');
    };
    const to = (from: Outbound, ledger: number, path: string) =>
      from.send(call({ ledger, url: new URL(path, url).href }));
    const isOpen = (path: string) => !byPath.get(path)!.socket.destroyed;
    const held = to(outbound, 1, 'held');
    await eventually(() => expect(byPath.has('/held')).toBe(true));
    await to(outbound, 2, 'second');
    await to(other, 3, 'third');
    await eventually(() => expect(isOpen('/second')).toBe(false));
    expect([isOpen('/held'), isOpen('/third')]).toEqual([true, true]);
    byPath.get('/held')!.response.end('done');
    await held;
    await to(other, 4, 'fourth');
    await eventually(() => expect(isOpen('/third')).toBe(false));
    expect([isOpen('/held'), isOpen('/fourth')]).toEqual([true, true]);
    await other.close();
  });

  it('under way are finished before it is closed', async () => {
    answer = (_, response) => void setTimeout(() => response.end('done'), 100);
    const out = opened();
    const sent = out.send(call());
    await out.close();
    expect((await sent).text).toBe('done');
    outbound = undefined;
  });
});
