import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { freePort } from '../support/free-port.js';
import { asked, until } from './cluster.js';

/** The programs of Debian's `postgresql-15`, in its folder. */
export const POSTGRES = '/usr/lib/postgresql/15/bin';

const PASSWORD = 'drill';

/** A PostgreSQL server that Patroni runs. */
export interface Member {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
}

/** Two servers under Patroni and etcd, of which one is a synchronous standby. Both take clients with certificates alone. */
export interface PatroniCluster {
  readonly members: readonly Member[];
  /** Connection string of both for the server, which verifies them and is verified. */
  readonly url: string;
  /** The same for one of them. */
  urlOf(member: Member): string;
  primary(): Promise<Member>;
  /** Resolves when the other one is a synchronous standby. */
  inSync(): Promise<void>;
  /** Ends the server of a member at once. Patroni lives on. */
  kill(member: Member): Promise<void>;
  /** The last lines of all logs. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

/** PostgreSQL does not run as root. */
function userOfPostgres(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (of: string) => Number(execFileSync('id', [of, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Starts etcd, and both members, the second as a copy of the first. */
export async function startPatroni(folder: string): Promise<PatroniCluster> {
  const user = userOfPostgres();
  const processes: ChildProcess[] = [];
  const logs: string[] = [];
  const own = (path: string) => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid ?? user.uid);
  };
  own(folder);
  const keep = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    own(path);
    return path;
  };
  const run = (name: string, command: string, args: string[]) => {
    const child = spawn(command, args, { ...user, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const path = join(folder, `${name}.log`);
    logs.push(path);
    const log = createWriteStream(path);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    processes.push(child);
  };

  const certificates = keepCertificates(keep);
  const etcd = { client: `http://127.0.0.1:${await freePort()}`, peer: `http://127.0.0.1:${await freePort()}` };
  run('etcd', 'etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', etcd.client, '--advertise-client-urls', etcd.client],
    ...['--listen-peer-urls', etcd.peer, '--initial-advertise-peer-urls', etcd.peer],
    ...['--initial-cluster', `default=${etcd.peer}`],
  ]);
  const members: Member[] = [];
  for (const name of ['one', 'two']) {
    const member = { name, port: await freePort(), folder: join(folder, name) };
    members.push(member);
    mkdirSync(member.folder, { mode: 0o700 });
    own(member.folder);
    const settings = settingsOf(member, await freePort(), etcd.client, certificates);
    run(name, 'patroni', [keep(`${name}.json`, JSON.stringify(settings))]);
    await until(async () => (await stateOf(member)) === (name === 'one' ? 'primary' : 'standby'), 120_000);
  }
  await asked(adminUrl(members[0]!), `create role countersign login password '${PASSWORD}'`);
  await asked(
    adminUrl(members[0]!),
    `create database countersign owner countersign encoding 'UTF8' template template0`,
  );

  const tls = `sslmode=verify-full&sslrootcert=${certificates.ca}&sslcert=${certificates.cert}&sslkey=${certificates.key}`;
  const urlOf = (...of: readonly Member[]) =>
    `postgresql://countersign:${PASSWORD}@${of.map(({ port }) => `localhost:${port}`).join(',')}/countersign?${tls}`;
  const primary = async () => {
    for (const member of members) if ((await stateOf(member)) === 'primary') return member;
    throw new Error('None of the members is the primary.');
  };
  return {
    members,
    url: `${urlOf(...members)}&target_session_attrs=read-write`,
    urlOf: (member) => urlOf(member),
    primary,
    async inSync() {
      const text = `select count(*)::int as synced from pg_stat_replication where sync_state = 'sync'`;
      await until(async () => (await asked(adminUrl(await primary()), text))[0].synced === 1);
    },
    async kill(member) {
      const pid = await readFile(join(member.folder, 'data/postmaster.pid'), 'utf8');
      process.kill(Number(pid.split('\n')[0]), 'SIGKILL');
    },
    async logs() {
      const texts = await Promise.all(
        logs.map(async (path) => `${path}\n${(await readFile(path, 'utf8')).slice(-3_000)}`),
      );
      return texts.join('\n');
    },
    async stop() {
      // Patroni ends its PostgreSQL; etcd is needed until then.
      for (const child of processes.reverse()) {
        const isOver = child.exitCode !== null || child.signalCode !== null;
        const ended = isOver ? undefined : once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
    },
  };
}

/** Of the servers, and of the clients. */
function keepCertificates(keep: (name: string, text: string) => string) {
  const authority = makeAuthority('Drill');
  const [server, client] = [issueCertificate(authority, 'localhost'), issueCertificate(authority, 'countersign')];
  return {
    ca: keep('ca.pem', authority.certificate),
    serverCert: keep('server.pem', server.certificate),
    serverKey: keep('server.key', server.key),
    cert: keep('client.pem', client.certificate),
    key: keep('client.key', client.key),
  };
}

/** The settings of Patroni for a member, with the shortest times that it takes. JSON is YAML. */
function settingsOf(
  { name, port, folder }: Member,
  api: number,
  etcd: string,
  { ca, serverCert, serverKey }: ReturnType<typeof keepCertificates>,
) {
  const address = `127.0.0.1:${api}`;
  return {
    scope: 'drill',
    name,
    restapi: { listen: address, connect_address: address },
    etcd3: { hosts: new URL(etcd).host },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 3,
        // A server that crashed is not started again in its place: the standby takes over.
        primary_start_timeout: 0,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, 'data'),
      bin_dir: POSTGRES,
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
      },
      parameters: {
        unix_socket_directories: folder,
        ssl: 'on',
        ssl_ca_file: ca,
        ssl_cert_file: serverCert,
        ssl_key_file: serverKey,
      },
      pg_hba: [
        'local all all trust',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
        'host all postgres 127.0.0.1/32 scram-sha-256',
        'hostssl all countersign 127.0.0.1/32 scram-sha-256 clientcert=verify-ca',
      ],
    },
  };
}

function adminUrl({ port }: Member): string {
  return `postgresql://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
}

async function stateOf(member: Member): Promise<'primary' | 'standby' | undefined> {
  if (!existsSync(join(member.folder, 'data/postmaster.pid'))) return undefined;
  try {
    const [{ standby }] = await asked(adminUrl(member), 'select pg_is_in_recovery() as standby');
    return standby ? 'standby' : 'primary';
  } catch {
    return undefined;
  }
}
