import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Finding } from '@countersign/verifier';
import type pg from 'pg';
import { native } from '../auth/native-suite.js';
import type { Runtime } from '../base/clock.js';
import { prepareDatabase } from '../cluster/prepare.js';
import { parseConfig } from '../config.js';
import { startEmbedded } from '../store/embedded.js';
import { createPool } from '../store/pool.js';
import { type Exported, exportLedger } from './export.js';
import { type Imported, importLedger } from './import.js';
import { linesOfFile } from './lines-of-file.js';
import { ExportRefused } from './refused.js';
import { readBegun } from './resume.js';

/** The settings of the server, as environment variables. */
type Settings = Readonly<Record<string, string | undefined>>;

export interface ExportCall {
  readonly settings: Settings;
  readonly now: () => number;
  readonly build: string;
  /** Handle or luid. */
  readonly ledger: string;
  /** The file to write, or where else the text goes. */
  readonly to:
    | { readonly path: string; readonly isResumed: boolean }
    | { readonly write: (text: string) => Promise<void> };
  readonly passphrase?: string;
  readonly progress?: (done: number, all: number) => void;
}

/** Exports a ledger of this host's deployment (export#export). @throws Error in words for the operator */
export function runExport({ settings, now, to, ...call }: ExportCall): Promise<Exported> {
  return withDatabase(settings, async (pool, masterKey) => {
    const given = { ...call, pool, masterKey, runtime: runtimeOf(now) };
    if ('write' in to) return exportLedger({ ...given, write: to.write });
    const begun = to.isResumed ? await readBegun(linesOfFile(to.path, true)) : undefined;
    const file = await openFile(to.path, to.isResumed);
    try {
      await file.truncate(begun?.length ?? 0);
      let at = begun?.length ?? 0;
      const write = async (text: string) => {
        const { bytesWritten } = await file.write(text, at);
        at += bytesWritten;
      };
      const exported = await exportLedger({ ...given, write, ...(begun ? { begun } : {}) });
      await file.sync();
      return exported;
    } finally {
      await file.close();
    }
  });
}

export interface ImportCall {
  readonly settings: Settings;
  readonly now: () => number;
  readonly path: string;
  readonly passphrase?: string;
  readonly isReadOnly?: boolean;
  readonly pinned?: string;
  readonly found: (finding: Finding) => void;
  readonly progress?: (phase: 'verify' | 'store', done: number, all: number) => void;
}

/** Makes a ledger of an export in this host's deployment (export#import). @throws Error in words for the operator */
export function runImport({ settings, now, path, ...call }: ImportCall): Promise<Imported> {
  return withDatabase(settings, (pool, masterKey) =>
    importLedger({ ...call, pool, masterKey, suite: native, runtime: runtimeOf(now), lines: () => linesOfFile(path) }),
  );
}

function runtimeOf(now: () => number): Runtime {
  return { now, random: randomBytes };
}

/** A new file is for its owner only, and none is overwritten. */
async function openFile(path: string, isResumed: boolean): Promise<FileHandle> {
  try {
    return await open(path, isResumed ? 'r+' : 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ExportRefused(`${path} exists. Give --resume to go on with it, or another name.`);
  }
}

/** Connects to the database that the settings name; starts the one in the data folder where they name none. */
async function withDatabase<T>(settings: Settings, work: (pool: pg.Pool, masterKey: Buffer) => Promise<T>): Promise<T> {
  const config = parseConfig(settings);
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({ dataDir: config.dataDir, workers: 1, log: () => {} });
  try {
    const url = embedded?.url ?? config.databaseUrl ?? '';
    const { masterKey } = await prepareDatabase(url, embedded !== undefined, config);
    const pool = createPool({ connectionString: url, max: 3, statement_timeout: 0, query_timeout: 0 }, () => {});
    try {
      return await work(pool, masterKey);
    } finally {
      await pool.end();
    }
  } finally {
    await embedded?.stop();
  }
}
