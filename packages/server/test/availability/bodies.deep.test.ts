import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind, type Service, startService } from '../durability/service.js';
import { newLedger, type TestClient } from '../support/client.js';
import { makeDataDir } from '../support/database.js';

const MEBIBYTE = 2 ** 20;

/** Requests at a time, and bytes of each, but for the last one, which never comes. */
const ATTACK = { requests: 800, bytes: 900_000 };

/**
 * Bytes by which the memory of the process may grow: the memory of one sender, what the connections of those that wait have
 * taken, and what the engine has not given back. Without a bound it grew by 750 MB.
 */
const GROWTH = 200 * MEBIBYTE;

describe.skipIf(process.platform !== 'linux')('bodies that lack their last byte', () => {
  let dataDir: string;
  let service: Service;
  let client: TestClient;
  const open: Socket[] = [];

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-bodies-')));
    makeDataDir(dataDir);
    service = await startService(dataDir, 1);
    client = await newLedger(service.url);
  });

  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await service?.stop();
    await leaveNothingBehind(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Begins a request, and resolves when its bytes are sent, or its connection has ended. */
  async function begin(ledger: string): Promise<void> {
    const { hostname, port } = new URL(service.url);
    const socket = connect({ port: Number(port), host: hostname });
    open.push(socket);
    const head = `POST /v2/wallets HTTP/1.1\r\nhost: a\r\nx-ledger: ${ledger}\r\ncontent-type: application/json\r\n`;
    await new Promise<void>((resolve) => {
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      socket.on('data', () => resolve());
      // Those that wait for memory are not read, and never all sent.
      setTimeout(resolve, 3_000).unref();
      socket.write(`${head}content-length: ${ATTACK.bytes + 1}\r\n\r\n${'x'.repeat(ATTACK.bytes)}`, () => resolve());
    });
  }

  it.each(['of a known ledger', 'of an unknown one'])('take a bounded part of the memory (%s)', async (which) => {
    const name = which.replaceAll(' ', '-');
    await client.create('/wallets', { handle: `before-${name}` });
    const before = memory(service);
    const ledger = which === 'of a known ledger' ? client.ledger! : 'nobody';
    const begun = Promise.all(Array.from({ length: ATTACK.requests }, () => begin(ledger)));
    for (let round = 0; round < 20; round += 1) {
      const { status } = await client.create('/wallets', { handle: `${name}-${round}` });
      expect(status).toBe(201);
    }
    await begun;
    expect(memory(service) - before).toBeLessThan(GROWTH);
    for (const socket of open.splice(0)) socket.destroy();
  });
});

/** Bytes that the serving processes hold in memory. */
function memory(service: Service): number {
  return service.workers().reduce((sum, pid) => {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return sum + 1024 * Number(kilobytes);
  }, 0);
}
