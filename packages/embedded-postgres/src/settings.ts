import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/**
 * PostgreSQL's cache of the tables: an eighth of the machine's memory, or of what the process is allowed, from 128 MiB
 * to a gigabyte. Of a million records, about two gigabytes, that covers the indexes and the hot rows; the rest is left
 * to the system's cache, which gives way to other programs.
 *
 * @param memory bytes
 * @returns as PostgreSQL writes it
 */
export function computeSharedBuffers(memory: number): string {
  return `${Math.min(1024, Math.max(128, Math.floor(memory / 8 / MIB)))}MB`;
}

/** Bytes that the process is allowed; those of the machine where it is unconfined, or Node.js does not know. */
function memoryAllowed(): number {
  const allowed = process.constrainedMemory();
  return allowed > 0 && allowed < totalmem() ? allowed : totalmem();
}

/** Connections that there may always be, as many as PostgreSQL's default. Each takes some 25 kB of shared memory. */
export const LEAST_CONNECTIONS = 100;

/** Connections beyond which nobody can mean it: they would take half a gigabyte of shared memory, and 10,000 processes. */
export const MOST_CONNECTIONS = 10_000;

/**
 * Every setting of the embedded PostgreSQL that differs from its default or that we depend on, each with its reason.
 * They are given on its command line, where they override files in the data directory, and a new release's values hold
 * at once.
 */
export const postgresSettings: Readonly<Record<string, string>> = {
  // Acknowledged writes are on the disk: these three are what "durable" means.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: computeSharedBuffers(memoryAllowed()),
  // Checkpoints cost throughput at once, and again by full pages in the log: so fewer of them, spread out.
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  max_wal_size: '2GB',
  // What is kept for a copy that does not come, as to a full disk, must not fill this one.
  max_slot_wal_keep_size: '4GB',
  // Full pages are most of the log after a checkpoint, and compress well.
  wal_compression: 'on',
  // On SSDs random reads cost little more than sequential ones; at the default, the planner would rather sort
  // everything than use an index in the right order.
  random_page_cost: '1.1',
  // The statements are short and planned once; compiling them costs more than running them.
  jit: 'off',
  // Until a table is first analyzed its queries are planned by guesses, and the default looks once a minute.
  autovacuum_naptime: '5s',
  // Parallel workers take the processors from other statements, and need shared memory that containers lack.
  max_parallel_workers_per_gather: '0',
  // Keeps clients' data out of the log: the statements of errors and their values are omitted.
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
  // Routine messages would hide the important ones.
  log_checkpoints: 'off',
  log_line_prefix: '',
  // The log must read the same wherever the server runs.
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Logs to standard error, which the server reads.
  logging_collector: 'off',
};

/** Settings of the sessions in the database. PostgreSQL's own messages keep their details, which say what is wrong. */
export const sessionSettings: Readonly<Record<string, string>> = {
  // The details of an error quote the values in question, which are a client's.
  log_error_verbosity: 'terse',
};
