import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/**
 * What PostgreSQL keeps of the tables itself: an eighth of the machine's memory, or of what the process is allowed, from
 * 128 MiB to a gigabyte. Of a million records, about two gigabytes, that is the indexes and what is used most; the rest is
 * left to the system's cache, which gives way to others.
 *
 * @param memory bytes
 * @returns as PostgreSQL writes it
 */
export function sharedBuffers(memory: number): string {
  return `${Math.min(1024, Math.max(128, Math.floor(memory / 8 / MIB)))}MB`;
}

/** Bytes; where the process is not confined, or Node.js cannot tell, those of the machine. */
function memoryAllowed(): number {
  const allowed = process.constrainedMemory();
  return allowed > 0 && allowed < totalmem() ? allowed : totalmem();
}

/**
 * Every setting of the embedded PostgreSQL that differs from its default or that we depend on, each with its reason. They
 * are given on its command line, so no file in the data directory can weaken them and a new release's values hold at once.
 */
export const settings: Readonly<Record<string, string>> = {
  // What is acknowledged is on the disk: these three are what "durable" means.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: sharedBuffers(memoryAllowed()),
  // Checkpoints cost throughput at once and then again by full pages in the log; fewer of them, spread out.
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  max_wal_size: '2GB',
  // Full pages are most of the log after a checkpoint, and compress well.
  wal_compression: 'on',
  // Disks have no heads to move any more; taken for dear, an index in the right order loses to sorting everything.
  random_page_cost: '1.1',
  // Our statements are short and planned once; compiling them costs more than running them.
  jit: 'off',
  // Until a table is first analyzed its searches are planned by guesses, and the default looks once in a minute.
  autovacuum_naptime: '5s',
  // Workers for one statement take the processors from the others, and need shared memory that containers lack.
  max_parallel_workers_per_gather: '0',
  // Our pools need a fraction; the rest is for the operator's own tools.
  max_connections: '100',
  // What clients store stays out of the log: neither the statement of an error is logged, nor its values.
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
  // Routine is not news.
  log_checkpoints: 'off',
  log_line_prefix: '',
  // Its own files must read the same wherever the server runs.
  timezone: 'UTC',
  log_timezone: 'UTC',
  // To its standard error, which the server reads.
  logging_collector: 'off',
};

/** Settings of the sessions in the database; PostgreSQL's own messages keep their details, which say what is wrong. */
export const sessionSettings: Readonly<Record<string, string>> = {
  // The details of an error quote the values in question, and those are a client's.
  log_error_verbosity: 'terse',
};
