import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeGuardedConnector } from '../../src/outbound/guarded-connector.js';

let server: Server;
let port: number;
const served: string[] = [];
beforeAll(async () => {
  server = createServer((incoming, answer) => {
    served.push(incoming.headers.host ?? '');
    answer.end('here');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

/** A resolver whose names mean one thing after the other. */
function resolving(...answers: string[][]) {
  let asked = 0;
  const resolver = (_: string, __: object, done: (error: null, found: object[]) => void) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return resolver as unknown as NonNullable<Parameters<typeof makeGuardedConnector>[2]>;
}

/** The answer of the server to a call, where one address (the server's own, 127.0.0.1) stands for a public one. */
async function call(
  resolver: ReturnType<typeof resolving>,
  host = 'bridge.example',
  allowed = '127.0.0.1',
): Promise<string> {
  const connect = makeGuardedConnector(1_000, (address) => address === allowed, resolver);
  const agent = new Agent({ connect });
  try {
    const { body } = await request(`http://${host}:${port}/`, { dispatcher: agent });
    return await body.text();
  } finally {
    await agent.destroy();
  }
}

describe('a guarded connection', () => {
  it('is made to an address that is allowed', async () => {
    expect(await call(resolving(['127.0.0.1']))).toBe('here');
    expect(await call(resolving([]), '127.0.0.1')).toBe('here');
  });

  it('is made to the allowed ones alone of several', async () => {
    expect(await call(resolving(['10.0.0.1', '127.0.0.1', '::1']))).toBe('here');
  });

  it('is not made to the others of several, though the allowed one does not answer', async () => {
    served.length = 0;
    for (const addresses of [
      ['127.0.0.1', '::1'],
      ['::1', '127.0.0.1'],
    ]) {
      await expect(call(resolving(addresses), 'bridge.example', '::1')).rejects.toThrow();
    }
    expect(served).toEqual([]);
  });

  it.each([
    ['none is allowed', ['10.0.0.1', '::1']],
    ['there is none', []],
  ])('is not made when %s', async (_, addresses) => {
    served.length = 0;
    await expect(call(resolving(addresses))).rejects.toThrow('not on the public Internet');
    expect(served).toEqual([]);
  });

  it.each(['127.0.0.2', '[::1]', '0x7f.2', '10.1'])('is not made to the host %s', async (host) => {
    await expect(call(resolving(['127.0.0.1']), host)).rejects.toThrow('not on the public Internet');
  });

  it('judges the very address it is made to, whatever the name meant before', async () => {
    const rebinding = resolving(['127.0.0.1'], ['10.0.0.1']);
    expect(await call(rebinding)).toBe('here');
    await expect(call(rebinding)).rejects.toThrow('not on the public Internet');
  });
});
