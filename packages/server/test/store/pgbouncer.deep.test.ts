import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';
import { requireTool } from '../deploy/tools.js';
import { newLedger } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { read } from '../support/documents.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';

const program = requireTool('pgbouncer', 'REQUIRE_PGBOUNCER');

describe.runIf(program)('through PgBouncer in session mode', () => {
  let home: string;
  let database: TestDatabase;
  let pooler: ChildProcess;
  let url: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'countersign-pgbouncer-'));
    chmodSync(home, 0o755);
    database = await createMigratedDatabase();
    const to = new URL(database.url);
    const [name, port] = [to.pathname.slice(1), await freePort()];
    const place = [
      `host=${to.searchParams.get('host') ?? to.hostname}`,
      `port=${to.searchParams.get('port') ?? (to.port || '5432')}`,
      `dbname=${name} user=${decodeURIComponent(to.username)} password=${decodeURIComponent(to.password)}`,
    ].join(' ');
    // The settings of deploy/compose, but for the address, and for who may come.
    const settings = read('deploy/compose/pgbouncer/pgbouncer.ini')
      .replace(/^countersign = .*$/m, `${name} = ${place}`)
      .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
      .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
      .replace(/^auth_type = .*$/m, 'auth_type = any');
    writeFileSync(join(home, 'pgbouncer.ini'), settings);
    const user = process.getuid?.() === 0 ? ['-u', ownerOf(to.searchParams.get('host') ?? '/')] : [];
    pooler = spawn(program ?? '', [...user, join(home, 'pgbouncer.ini')], { stdio: 'ignore' });
    url = `postgresql://anybody@127.0.0.1:${port}/${name}`;
    await eventually(() => ask('select 1'));
  });

  afterAll(async () => {
    pooler?.kill('SIGKILL');
    await database?.drop();
    rmSync(home, { recursive: true, force: true });
  });

  /** Who may enter the folder of PostgreSQL's socket. PgBouncer does not run as root. */
  function ownerOf(folder: string): string {
    const owner = execFileSync('id', ['-nu', String(statSync(folder).uid)], { encoding: 'utf8' }).trim();
    return owner === 'root' ? 'nobody' : owner;
  }

  /** One statement on a connection of its own. */
  async function ask(text: string, timeout?: number) {
    const pool = createPool(
      { connectionString: url, max: 1, ...(timeout ? { statement_timeout: timeout } : {}) },
      () => {},
    );
    try {
      return (await pool.query(text)).rows;
    } finally {
      await pool.end();
    }
  }

  it('each pool keeps its time-outs, and leaves none to who comes next', async () => {
    await expect(ask('select pg_sleep(10)', 200)).rejects.toThrow('canceling statement due to statement timeout');
    for (const [timeout, shown] of [
      [5_000, '5s'],
      [undefined, '30s'],
    ] as const) {
      expect(await ask('show statement_timeout', timeout)).toEqual([{ statement_timeout: shown }]);
      expect(await ask('show idle_in_transaction_session_timeout')).toEqual([
        { idle_in_transaction_session_timeout: '30s' },
      ]);
    }
  });

  describe('a server', () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await startServer({ database: { url, drop: async () => {} } });
    });
    afterAll(() => server?.stop());

    it('writes, reads and lists, and hears the others', async () => {
      const client = await newLedger(server.url);
      await stored(client, 'wallet', { handle: 'shop' });
      expect(ok(await client.get('/wallets/shop')).body.data.handle).toBe('shop');
      expect(ok(await client.get('/wallets')).body.data).toHaveLength(1);
      await eventually(async () => {
        const text = await server.server.metrics.registry.metrics();
        expect(text).toMatch(/^countersign_background_listening\{worker="0"\} 1$/m);
      });
    });
  });
});
