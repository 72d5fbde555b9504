import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES } from '../../../server/test/failover/patroni.js';
import { freePort } from '../../../server/test/support/free-port.js';

/** A PostgreSQL of the operator's: Debian's, on loopback with passwords, and for its superuser on a socket without. */
export interface OwnPostgres {
  readonly port: number;
  /** Variables with which `psql` is the superuser. */
  readonly env: Readonly<Record<string, string>>;
  stop(): void;
}

/** Its client. */
export const PSQL = join(POSTGRES, 'psql');

/** What a page calls of it, and what a test calls instead: it prints values alone, and ends at the first error (`filledIn`). */
export const QUIET_PSQL = [
  [' psql ', ` ${PSQL} `],
  ['--username countersign', '--no-psqlrc --quiet --tuples-only --set ON_ERROR_STOP=1 --username countersign'],
] as const;

/** Whether it can be had here. */
export const hasOwnPostgres = existsSync(join(POSTGRES, 'initdb'));

/** Starts it, in a folder of its own. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-own-')));
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  const run = (program: string, ...args: string[]) => {
    const [file = '', ...rest] = [...account, join(POSTGRES, program), ...args];
    execFileSync(file, rest, { cwd: '/', stdio: 'ignore' });
  };
  chmodSync(home, 0o755);
  if (isRoot) {
    const uid = Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }));
    chownSync(home, uid, uid);
  }
  const data = join(home, 'data');
  run(
    'initdb',
    ...['--pgdata', data, '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    ...['--auth-local=trust', '--auth-host=scram-sha-256'],
  );
  const port = await freePort();
  appendFileSync(
    join(data, 'postgresql.conf'),
    `port = ${port}\nlisten_addresses = 'localhost'\nunix_socket_directories = '${home}'\nfsync = off\nmax_connections = 150\n`,
  );
  const control = (...args: string[]) => run('pg_ctl', '--pgdata', data, '--wait', '--log', join(home, 'log'), ...args);
  control('start');
  return {
    port,
    env: { PGHOST: home, PGPORT: String(port), PGUSER: 'postgres', PGDATABASE: 'postgres' },
    stop() {
      control('stop', '--mode=immediate');
      rmSync(home, { recursive: true });
    },
  };
}
