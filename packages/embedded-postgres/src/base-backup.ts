import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import pg from 'pg';

/** A copy of a running cluster that can be started: what it was made of. */
export interface BaseBackup {
  /** Names the cluster among all. */
  readonly system: string;
  readonly timeline: number;
  /** Positions in the write-ahead log between which the copy was made, as PostgreSQL writes them. */
  readonly start: string;
  readonly end: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Its words are known in capitals only. The write-ahead log that was written meanwhile is in the copy, so that it can be started by itself. */
const COPY = `BASE_BACKUP (LABEL 'backup', PROGRESS, CHECKPOINT 'fast', WAL, MANIFEST 'no')`;

/**
 * Copies a running cluster by PostgreSQL's replication protocol, as `pg_basebackup` does, into a tar file. Statements go on meanwhile.
 *
 * @param url of the role that owns the cluster
 * @param path of the file, which is made; its bytes are on the disk when this resolves
 * @param progress told of the bytes that are copied, and how many there are about
 * @throws Error when the cluster has tablespaces, which lie outside its folder; of the database; of the disk
 */
export async function writeBaseBackup(
  url: string,
  path: string,
  progress: (done: number, all: number) => void,
): Promise<BaseBackup> {
  const client = new pg.Client({ connectionString: url, replication: 'true' } as pg.ClientConfig);
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query('IDENTIFY_SYSTEM');
    // Keeps PostgreSQL from removing what is written meanwhile. It ends with the connection.
    await client.query('CREATE_REPLICATION_SLOT backup_copy TEMPORARY PHYSICAL RESERVE_WAL');
    const copied = await copyTo(client, path, progress);
    return { system: rows[0].systemid, timeline: Number(rows[0].timeline), ...copied };
  } finally {
    await client.end().catch(() => {});
  }
}

type Copied = Omit<BaseBackup, 'system' | 'timeline'>;

async function copyTo(client: pg.Client, path: string, progress: (done: number, all: number) => void): Promise<Copied> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const failed = once(file, 'error').then(([error]) => Promise.reject(error as Error));
  const receiver = new CopyReceiver(file, progress);
  try {
    client.query(receiver);
    await Promise.race([receiver.done, failed]);
    file.end();
    await Promise.race([once(file, 'finish'), failed]);
  } finally {
    failed.catch(() => {});
    file.destroy();
  }
  const written = await open(path, 'r+');
  await written.sync();
  await written.close();
  return receiver.result();
}

/** What the driver hands to a query: the parts of a connection and of messages that are used here. */
interface Connection {
  query(text: string): void;
  readonly stream: { pause(): void; resume(): void; destroy(error: Error): void };
}

/** Takes the answer to `BASE_BACKUP`: rows that say where the copy begins, its bytes, and a row that says where it ends. */
class CopyReceiver {
  readonly done: Promise<void>;
  readonly #file: ReturnType<typeof createWriteStream>;
  readonly #progress: (done: number, all: number) => void;
  readonly #hash = createHash('sha256');
  readonly #rows: (string | null)[][] = [];
  #bytes = 0;
  #all = 0;
  #archives = 0;
  #isPaused = false;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(file: ReturnType<typeof createWriteStream>, progress: (done: number, all: number) => void) {
    this.#file = file;
    this.#progress = progress;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** @throws Error when the answer was not whole */
  result(): Copied {
    const [start, , end] = [this.#rows.at(0)?.[0], undefined, this.#rows.at(-1)?.[0]];
    if (!start || !end || this.#archives !== 1) throw new Error('PostgreSQL did not send the whole of its copy');
    return { start, end, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  submit(connection: Connection): void {
    connection.query(COPY);
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: (Buffer | string | null)[] }): void {
    const row = fields.map((field) => (field === null ? null : field.toString()));
    this.#rows.push(row);
    // One row for each tablespace, with its size in KiB.
    if (row.length === 3) this.#all += Number(row[2]) * 1_024;
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Connection): void {
    const kind = String.fromCharCode(chunk[0]!);
    if (kind === 'n' && ++this.#archives > 1) {
      stream.destroy(new Error('PostgreSQL has tablespaces outside its folder, which cannot be copied'));
    }
    if (kind !== 'd' || this.#archives > 1) return;
    // A copy: the driver uses its buffer again before the file has taken it.
    const data = Buffer.from(chunk.subarray(1));
    this.#hash.update(data);
    this.#bytes += data.length;
    this.#progress(this.#bytes, Math.max(this.#all, this.#bytes));
    if (this.#file.write(data) || this.#isPaused) return;
    // The disk is slower than the database.
    this.#isPaused = true;
    stream.pause();
    this.#file.once('drain', () => {
      this.#isPaused = false;
      stream.resume();
    });
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleReadyForQuery({ stream }: Connection): void {
    // A file that is ended drains no more, and a connection that is paused does not end.
    stream.resume();
    this.#resolve();
  }

  handleError(error: Error): void {
    this.#reject(error);
  }
}
