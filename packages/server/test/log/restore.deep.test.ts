import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newLedger, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type RunningServer, startServer } from '../support/server.js';
import { allSealed, LogReader } from './reading.js';

describe('a database that has gone back in time', () => {
  let dataDir: string;
  let database: TestDatabase;
  let server: RunningServer;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'countersign-log-'));
    database = await createMigratedDatabase();
    server = await startServer({ database, dataDir });
  });
  afterEach(async () => {
    await server.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const LOG = `(select id from ledger where handle = $1)`;

  /** Does `after`, then puts the log of a ledger back to what it was before; the leaves since are lost. */
  async function goBack(client: TestClient, after: () => Promise<void>): Promise<void> {
    const connection = new pg.Client({ connectionString: database.url });
    await connection.connect();
    const of = [client.ledger];
    const { rows } = await connection.query(`select * from log where ledger_id = ${LOG}`, of);
    const { size, edge, checkpoint, mac } = rows[0];
    await after();
    await connection.query(`delete from log_leaf where first >= $2 and ledger_id = ${LOG}`, [...of, size]);
    await connection.query(`delete from log_tile where ledger_id = ${LOG} and n * 256 >= $2`, [...of, size]);
    await connection.query(`update log set size = $2, edge = $3, checkpoint = $4, mac = $5 where ledger_id = ${LOG}`, [
      ...of,
      size,
      edge,
      checkpoint,
      mac,
    ]);
    await connection.end();
  }

  /** What is stopped: the log is, and the records are not. */
  async function expectStopped(client: TestClient, reader: LogReader, why: RegExp): Promise<void> {
    const { stopped } = await eventually(async () => {
      const { status, body } = await client.get('/ledger/log');
      expect(status).toBe(200);
      expect(body.data.stopped).not.toBeNull();
      return body.data;
    });
    expect(stopped).toMatch(why);
    const state = (await client.get('/ledger/log')).body.data;
    expect(state).toMatchObject({ origin: null, root: null, checkpoint: null, size: 0 });
    for (const path of ['checkpoint', 'vkeys', 'tile/0/000.p/1', 'tile/entries/000.p/1']) {
      const answer = await reader.get(path);
      expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('retry-after')], path).toEqual([
        503,
        null,
        '60',
      ]);
      expect(((await answer.json()) as { data: object }).data).toEqual({
        reason: 'api.unexpected-error',
        detail: 'The log of this ledger is stopped until its operator has looked at it. Records are served as usual.',
      });
    }
    for (const path of ['/wallets/first/changes/1/inclusion', '/ledger/log/consistency?from=1'])
      expect((await client.get(path)).status).toBe(503);
    expect((await client.create('/wallets', { handle: 'more' })).status).toBe(201);
    expect((await client.get('/wallets/more')).status).toBe(200);
    const { unsealed } = (await client.get('/ledger/log')).body.data;
    expect(unsealed.count).toBeGreaterThan(0);
    expect(unsealed.age).toBeGreaterThan(0);
  }

  async function begin(): Promise<{ client: TestClient; reader: LogReader }> {
    const client = await newLedger(server.url, { config: { log: 'open' } });
    await client.create('/wallets', { handle: 'first' });
    await allSealed(client);
    return { client, reader: await LogReader.of(client) };
  }

  /** Stores, has it sealed, and shows it. */
  const show = async (client: TestClient, reader: LogReader, handle: string) => {
    await client.create('/wallets', { handle });
    const { size } = await allSealed(client);
    await eventually(async () => expect((await reader.checkpoint()).size).toBe(size));
  };

  it('is refused by a server that began anew, before anything contradicts what was shown', async () => {
    const { client, reader } = await begin();
    await goBack(client, async () => {
      await show(client, reader, 'second');
      await server.stop();
    });
    server = await startServer({ database, dataDir });
    const anew = new TestClient(server.url, client.key, client.ledger);
    await expectStopped(anew, reader.at(server.url), /^it has \d+ leaves, and \d+ were shown$/);
  });

  it('is refused when another tree has grown instead', async () => {
    const { client, reader } = await begin();
    await goBack(client, () => show(client, reader, 'second'));
    await client.create('/wallets', { handle: 'third' });
    await expectStopped(client, reader, /^it has \d+ leaves, and \d+ were shown$/);
  });
});
