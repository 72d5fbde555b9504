import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';
import { watchReadiness } from '../../src/store/readiness.js';

it('a database that takes connections and says nothing is out of reach, however long the pool waits for one', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  // Far longer than this test waits for anything.
  const waits = { connectionTimeoutMillis: 3_600_000 };
  const pool = createPool({ connectionString: `postgresql://a@127.0.0.1:${port}/a`, ...waits }, () => {});
  const readiness = await watchReadiness(pool, { pause: 1, patience: 20 }, pino({ level: 'silent' }), {
    look: async () => {},
    isComplete: () => true,
    leave: async () => {},
  });
  try {
    expect(readiness.isReady()).toBe(false);
  } finally {
    readiness.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
    await pool.end();
  }
});
