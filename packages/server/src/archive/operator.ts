import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { isLuid } from '@countersign/protocol';
import { type Finding, type LogHead, parseLine } from '@countersign/verifier';
import type pg from 'pg';
import { native } from '../auth/native-suite.js';
import type { Runtime } from '../base/clock.js';
import { BUILD } from '../cluster/build.js';
import { prepareDatabase } from '../cluster/prepare.js';
import { type EnvironmentSettings, parseConfig } from '../config.js';
import { createLogCodes } from '../integrity/log-leaves.js';
import type { Keyring } from '../keys/keyring.js';
import { createFence, type Fence } from '../log/fence.js';
import { fenceIn } from '../log/log.js';
import { type RestartedLog, restartLog } from '../log/restart.js';
import { createSystemKeyOf } from '../log/system-keys.js';
import { startEmbedded } from '../store/embedded.js';
import { createPool } from '../store/pool.js';
import { createSystemKeys } from '../store/queries/ledgers.js';
import { discardImport } from './begun-import.js';
import { type ErasedByOperator, eraseOnDatabase, type OfflineErasure } from './erase.js';
import { type Exported, exportLedger } from './export.js';
import { type Imported, importLedger } from './import.js';
import { linesOfFile } from './lines-of-file.js';
import { ExportRefused, ImportRefused } from './refusals.js';
import { readBegun } from './resume.js';
import { writeAll } from './write-all.js';

export interface ExportCall {
  readonly settings: EnvironmentSettings;
  readonly now: () => number;
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
  return withDatabase(settings, async ({ pool, keys, isShared, dataDir }) => {
    const shown = showInFence(fenceOf(dataDir, now));
    const given = { ...call, pool, keys, maySeal: isShared, build: BUILD, runtime: runtimeOf(now), shown };
    if ('write' in to) return exportLedger({ ...given, write: to.write });
    const begun = to.isResumed ? await readBegun(linesOfFile(to.path, true)) : undefined;
    const file = await openExportFile(to.path, to.isResumed);
    let at = begun?.length ?? 0;
    try {
      await file.truncate(at);
      const write = async (text: string) => {
        at = await writeAll(file, Buffer.from(text), at);
      };
      const exported = await exportLedger({ ...given, write, begun });
      await file.sync();
      return exported;
    } catch (error) {
      // A file in which nothing stands would be in the way of the next export.
      if (!to.isResumed && at === 0) await rm(to.path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  });
}

export interface ImportCall {
  readonly settings: EnvironmentSettings;
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
  return withDatabase(settings, ({ pool, keys }) =>
    importLedger({ ...call, pool, keys, suite: native, runtime: runtimeOf(now), lines: () => linesOfFile(path) }),
  );
}

export interface EraseCall extends Pick<OfflineErasure, 'ledger' | 'kind' | 'luid' | 'reason'> {
  readonly settings: EnvironmentSettings;
  readonly now: () => number;
}

/** Erases a record of this host's deployment (interface/records#erase). @throws Error in words for the operator */
export function runErase({ settings, now, ...call }: EraseCall): Promise<ErasedByOperator> {
  return withDatabase(settings, ({ pool, keys }) =>
    eraseOnDatabase({ ...call, pool, keys, suite: native, runtime: runtimeOf(now) }),
  );
}

/**
 * Deletes what an interrupted import has stored in this host's deployment (export#import).
 *
 * @param named the luid of the ledger, or the path of an export of it
 * @throws Error in words for the operator
 */
export function runDiscard({ settings, named }: { readonly settings: EnvironmentSettings; readonly named: string }) {
  return withDatabase(settings, async ({ pool }) => {
    const ledger = isLuid(named, 'ldg') ? named : await findExportedLedger(named);
    return { ledger, rows: await discardImport(pool, ledger) };
  });
}

/** The luid of the ledger that a file is an export of, by its first line. */
async function findExportedLedger(path: string): Promise<string> {
  for await (const text of linesOfFile(path)) {
    const line = parseLine(text);
    if (typeof line !== 'string' && line.line === 'header') return line.ledger.luid;
    break;
  }
  throw new ImportRefused(`${path} is not an export of a ledger. Name its luid instead.`);
}

export interface RestartCall {
  readonly settings: EnvironmentSettings;
  readonly now: () => number;
  /** Handle or luid. */
  readonly ledger: string;
}

/** Begins a new generation of the log of a ledger, which must be stopped. @throws Error in words for the operator */
export function runLogRestart({ settings, now, ledger }: RestartCall): Promise<RestartedLog> {
  return withDatabase(settings, ({ pool, keys, dataDir }) => {
    const { random } = runtimeOf(now);
    const fence = fenceOf(dataDir, now);
    const systemKey = createSystemKeyOf(keys, native, createSystemKeys(pool));
    return restartLog({ pool, fence, random, suite: native, systemKey, logCodes: createLogCodes(keys.codes) }, ledger);
  });
}

/** What servers of this host have shown, and exports. */
function fenceOf(dataDir: string, now: () => number): Fence {
  return createFence(fenceIn(dataDir), 'operator', now);
}

/** An export is shown to auditors: its checkpoints are in the fence before. */
function showInFence(fence: Fence) {
  return async (log: LogHead): Promise<void> => {
    const last = await fence.last(log.origin);
    if (last && last.size > log.size)
      throw new ExportRefused(
        `The log has ${log.size} leaves, and ${last.size} were shown: the database has gone back in time.`,
      );
    await fence.raise(log.checkpoint);
  };
}

function runtimeOf(now: () => number): Runtime {
  return { now, random: randomBytes };
}

/** A new file is for its owner only, and none is overwritten. */
async function openExportFile(path: string, isResumed: boolean): Promise<FileHandle> {
  try {
    return await open(path, isResumed ? 'r+' : 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ExportRefused(`${path} exists. Give --resume to go on with it, or another name.`);
  }
}

interface OperatorDeps {
  readonly pool: pg.Pool;
  readonly keys: Keyring;
  readonly dataDir: string;
  /** Whether servers may use the database meanwhile: nothing else uses the one in the data folder. */
  readonly isShared: boolean;
}

/** Connects to the database that the settings name; starts the one in the data folder where they name none. */
async function withDatabase<T>(settings: EnvironmentSettings, work: (deps: OperatorDeps) => Promise<T>): Promise<T> {
  const config = parseConfig(settings);
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({ dataDir: config.dataDir, workers: 1, log: () => {} });
  try {
    const url = embedded?.url ?? config.databaseUrl ?? '';
    const { keys } = await prepareDatabase(url, embedded !== undefined, config);
    const pool = createPool({ connectionString: url, max: 3, statement_timeout: 0, query_timeout: 0 }, () => {});
    try {
      return await work({ pool, keys, dataDir: config.dataDir, isShared: embedded === undefined });
    } finally {
      await pool.end();
    }
  } finally {
    await embedded?.stop();
  }
}
