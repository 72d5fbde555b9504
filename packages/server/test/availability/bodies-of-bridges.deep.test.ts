import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { newLedger } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer({ deliveryAllowPrivate: true });

describe('large bodies for a bridge that never answers', () => {
  let silent: Server;
  let asked = 0;
  beforeAll(async () => {
    silent = createServer((request) => {
      request.resume();
      asked += 1;
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  afterAll(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it('use up the memory of their ledger, and are in the way of no other at the same address', async () => {
    const { url } = server.current;
    const { port } = silent.address() as AddressInfo;
    const holder = await forwardingLedger(url, `http://127.0.0.1:${port}`, [aspect('create', 'proxy')]);
    const other = await newLedger(url);
    const text = 'x'.repeat(bodyLimits.bytes - 4_096);
    const count = Math.floor(bodyLimits.memory.ledger / text.length);
    const held = Array.from({ length: count }, (_, n) =>
      holder.create('/anchors', anchor(`a${n}`, { custom: { text } })),
    );
    await eventually(() => expect(asked).toBe(count));
    const filled = (bytes: number) => ({ handle: `w${bytes}`, custom: { text: 'x'.repeat(bytes) } });
    expect((await other.create('/wallets', filled(900_000))).status).toBe(201);
    const refused = await holder.create('/wallets', filled(900_000));
    expect(refused.body.data.reason).toBe('api.rate-limit-exceeded');
    expect(refused.headers.get('retry-after')).toBe('1');
    silent.closeAllConnections();
    for (const { status } of await Promise.all(held)) expect(status).toBeGreaterThanOrEqual(500);
    expect((await holder.create('/wallets', filled(900_000))).status).toBe(201);
  });
});
