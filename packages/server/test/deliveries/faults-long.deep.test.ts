import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hash as hashOf, type JsonObject, verifyProof } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newLedger, OPEN, systemKeyOf } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { type ServerProcess, startServerProcess } from './process.js';
import { withReceiver } from './receiver.js';
import { untilDeliveries } from './scene.js';

/** Milliseconds of processor time that a turn of the loop may take, as for requests (test/availability). */
const STRETCH = 200;

const probe = fileURLToPath(new URL('../availability/probe.cjs', import.meta.url));
const receiver = withReceiver();
let database: TestDatabase;
let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  database = await createMigratedDatabase();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-long-')));
  const environment = { PROBE_DIR: folder, NODE_OPTIONS: `--require ${probe}` };
  server = await startServerProcess({ database: database.url }, environment);
});

afterAll(async () => {
  server?.child.kill('SIGKILL');
  await server?.ended;
  await rm(folder, { recursive: true, force: true });
  await database?.drop();
});

/** The longest stretch since this was asked the last time. */
async function longestStretch(): Promise<number> {
  let longest = 0;
  for (const name of await readdir(folder)) {
    longest = Math.max(longest, Number(await readFile(join(folder, name), 'utf8')));
    await rm(join(folder, name), { force: true });
  }
  return longest;
}

/** Data that takes as long to read and to hash as a body may: as many values, and as many bytes. */
function longData(handle: string, letter: string): JsonObject {
  const values = Array.from({ length: 40_000 }, (_, at) => `${letter}${at % 100}`.padEnd(18, letter));
  return { handle, custom: { values } };
}

describe('a long event', () => {
  it('of a record and its parent is delivered whole, and keeps the event loop free', async () => {
    const client = await newLedger(server.url, { access: OPEN });
    const action = { schema: 'webhook', endpoint: receiver.url };
    await stored(client, 'effect', { handle: 'hook', signal: 'wallet-updated', action });
    receiver.instead = (_, response) => response.writeHead(503).end();
    const wallet = await stored(client, 'wallet', longData('long', 'a'));
    const comment = 'c'.repeat(900_000);
    for (const n of [1, 2, 3]) ok(await client.prove('/wallets/long', wallet, { n, comment }));
    const parent = (await client.get('/wallets/long')).body;
    const updated = ok(await client.update('/wallets/long', parent, longData('long', 'b'))).body;
    await eventually(() => expect(receiver.received).toHaveLength(1));
    // What the writes took is not at issue here.
    await longestStretch();
    receiver.instead = undefined;
    await untilDeliveries(database.url, client, ['delivered']);
    expect(await longestStretch()).toBeLessThan(STRETCH);
    expect(receiver.received).toHaveLength(2);
    const { text, body } = receiver.received[1]!;
    expect(text.length).toBeGreaterThan(4_000_000);
    expect(body.data.wallet).toEqual(updated);
    expect(body.data.parent).toEqual(parent);
    expect(hashOf(body.data, native)).toBe(body.hash);
    expect(body.meta.proofs[0].public).toBe(systemKeyOf(client));
    expect(verifyProof(body.hash, body.meta.proofs[0], native)).toBe(true);
  });
});
