import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newLedger, signed } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { leaveNothingBehind, type Service, startService } from './service.js';

/** Tries of both workers together, of which five end the service where it is the worker that fails. */
const TRIES = 6;

describe.skipIf(process.platform === 'win32')('a service whose database is away', () => {
  let dataDir: string;
  let database: TestDatabase;
  let way: Way;
  let service: Service;

  beforeAll(async () => {
    dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-away-')));
    database = await createMigratedDatabase();
    way = new Way(database.url);
    await way.open();
    service = await startService(dataDir, 2, { DATABASE_URL: way.url });
  });

  afterAll(async () => {
    await service?.stop();
    await way?.close();
    await leaveNothingBehind(dataDir);
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('tries to replace its workers until the database is back, however often that fails', async () => {
    const client = await newLedger(service.url);
    const before = service.workers();
    expect(before).toHaveLength(2);
    await way.close();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await eventually(() => expect(service.errors().split('a worker did not start').length).toBeGreaterThan(TRIES));
    await way.open();
    await eventually(async () => {
      const ready = await fetch(new URL('/health/ready', service.url), { headers: { connection: 'close' } });
      expect(ready.status).toBe(200);
      expect(service.workers()).toHaveLength(2);
    });
    expect((await client.call('POST', '/wallets', signed({ handle: 'after' }, client.key))).status).toBe(201);
  });
});

/** The only way from the service to its database, which a test may close. */
class Way {
  readonly #database: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(database: string) {
    this.#database = new URL(database);
  }

  get url(): string {
    const url = new URL(this.#database);
    url.search = '';
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  /** Listens, from the second time on at the same port. */
  async open(): Promise<void> {
    this.#server = createServer((from) => {
      const to = this.#connect();
      for (const socket of [from, to]) {
        this.#sockets.add(socket);
        socket
          .on('error', () => {})
          .once('close', () => {
            this.#sockets.delete(socket);
            from.destroy();
            to.destroy();
          });
      }
      from.pipe(to).pipe(from);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    if (!this.#server?.listening) return;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #connect(): Socket {
    const { searchParams, hostname, port } = this.#database;
    const folder = searchParams.get('host');
    const at = Number(searchParams.get('port') ?? (port || 5432));
    return folder?.startsWith('/') ? connect(`${folder}/.s.PGSQL.${at}`) : connect(at, folder ?? hostname);
  }
}
