import { existsSync } from 'node:fs';
import { access, constants, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { tryDataDir } from '@countersign/embedded-postgres/data-dir';
import type { Config } from '../config.js';
import { describeKeySource, loadMasterKeys, masterKeyError } from '../keys/master-key.js';
import { findConnectionRoom } from '../store/deployment/connections.js';
import { assertHeld, findMasterKeys } from '../store/deployment/master-keys.js';
import { findMigrations } from '../store/migrate.js';
import { createPool } from '../store/pool.js';
import { assertUsable, explainError } from '../store/queries/reach.js';
import { ADMIN_ADDRESS, assertFree, METRICS_ADDRESS } from './port.js';

/** What was found of one part of a deployment. */
export interface Finding {
  readonly part: 'port' | 'metrics' | 'operators' | 'master key' | 'data folder' | 'assets' | 'database';
  readonly isFine: boolean;
  readonly text: string;
}

/**
 * Looks whether a server would start with these settings. It starts, makes and changes nothing: of our own PostgreSQL, which does
 * not run, only its folder is looked at.
 */
export async function checkDeployment(config: Config): Promise<Finding[]> {
  const { host, port, metricsHost, metricsPort, adminHost, adminPort } = config;
  return [
    await find('port', async () => {
      await assertFree(host, port);
      return `${host}:${port} is free`;
    }),
    await find('metrics', async () => {
      if (metricsPort === undefined) return 'off';
      await assertFree(metricsHost, metricsPort, METRICS_ADDRESS);
      return `${metricsHost}:${metricsPort} is free`;
    }),
    ...(adminPort === undefined
      ? []
      : [
          await find('operators', async () => {
            await assertFree(adminHost, adminPort, ADMIN_ADDRESS);
            return `${adminHost}:${adminPort} is free`;
          }),
        ]),
    await find('master key', async () =>
      (await findKeys(config)).length === 0
        ? `not there: the first start with a new database makes ${describeKeySource(config)}`
        : describeKeySource(config),
    ),
    await find('data folder', async () => {
      await tryDataDir(config.dataDir, 'DATA_DIR');
      return config.dataDir;
    }),
    ...(config.reportAssetsDir === undefined ? [] : [await findAssets(config.reportAssetsDir)]),
    await find('database', () =>
      config.databaseUrl === undefined ? findOwn(config) : findOther(config, config.databaseUrl),
    ),
  ];
}

async function find(part: Finding['part'], look: () => Promise<string>): Promise<Finding> {
  try {
    return { part, isFine: true, text: await look() };
  } catch (error) {
    return { part, isFine: false, text: (error as Error).message };
  }
}

/** The master keys; none where a start would make one. A folder that is not there is not made. */
export async function findKeys(config: Config): Promise<Buffer[]> {
  return config.masterKey === undefined && !existsSync(config.dataDir) ? [] : loadMasterKeys(config);
}

function findAssets(folder: string): Promise<Finding> {
  return find('assets', async () => {
    try {
      await (await opendir(folder)).close();
      // What is in it is opened.
      await access(folder, constants.X_OK);
    } catch (error) {
      throw new Error(`REPORT_ASSETS_DIR ${folder} cannot be read: ${(error as Error).message}`);
    }
    return folder;
  });
}

async function findOwn({ dataDir }: Config): Promise<string> {
  const folder = join(dataDir, 'postgres');
  return existsSync(folder) ? `our own, in ${folder}` : `our own: the first start makes ${folder}`;
}

async function findOther(config: Config, url: string): Promise<string> {
  try {
    const pool = createPool({ connectionString: url, max: 1 }, () => {});
    try {
      await assertUsable(pool, url, false);
      const known = await findMasterKeys(pool);
      if (known.length === 0) return 'answers, and is empty: the first start makes the schema';
      const held = await findKeys(config);
      if (held.length === 0) throw masterKeyError(config);
      assertHeld(known, held, describeKeySource(config));
      const { later, pending, isOutdated } = await findMigrations(pool);
      if (isOutdated)
        throw new Error(`was migrated by a later release (${later.join(', ')}): use that, or a later one`);
      const { advice } = await findConnectionRoom(pool, config.workers);
      const room = advice === undefined ? '' : `; ${advice}`;
      if (pending.length > 0) return `answers: the start migrates it (${pending.join(', ')})${room}`;
      return `answers, with the schema of ${later.length > 0 ? 'a later release, beside which this one may serve' : 'this release'}${room}`;
    } finally {
      await pool.end();
    }
  } catch (error) {
    throw explainError(error, url, false);
  }
}

/** A line for each finding, for a terminal. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings.map(({ part, isFine, text }) => `${isFine ? '✓' : '✗'} ${part.padEnd(11)} ${text}`).join('\n');
}
