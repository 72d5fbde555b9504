import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { openServer } from '../../src/app.js';
import type { letServe } from '../../src/cluster/prepare.js';
import type { migrate } from '../../src/store/migrate.js';
import { createPool } from '../../src/store/pool.js';

/** The package of the server: a copy within it finds the same dependencies. */
const server = fileURLToPath(new URL('../..', import.meta.url));

/** This release with more migrations. */
export interface NextRelease {
  readonly openServer: typeof openServer;
  /** Migrates a database, and lets a role serve it, as `countersign-server --migrate` does. @returns the migrations that ran */
  migrate(url: string, role: string): Promise<string[]>;
  remove(): Promise<void>;
}

/** @param migrations their texts, by the names of their files */
export async function makeNextRelease(migrations: Readonly<Record<string, string>>): Promise<NextRelease> {
  const copy = await mkdtemp(`${server}/.copy-`);
  for (const folder of ['dist', 'sql', 'look', 'package.json'])
    await cp(`${server}/${folder}`, `${copy}/${folder}`, { recursive: true });
  for (const [name, text] of Object.entries(migrations)) await writeFile(`${copy}/sql/migrations/${name}.sql`, text);
  const load = <T>(path: string) => import(/* @vite-ignore */ `${copy}/dist/${path}`) as Promise<T>;
  const app = await load<{ openServer: typeof openServer }>('app.js');
  const schema = await load<{ migrate: typeof migrate }>('store/migrate.js');
  const roles = await load<{ letServe: typeof letServe }>('cluster/prepare.js');
  return {
    openServer: app.openServer,
    async migrate(url, role) {
      const pool = createPool({ connectionString: url, max: 2 }, () => {});
      try {
        const ran = await schema.migrate(pool);
        await roles.letServe(url, role);
        return ran;
      } finally {
        await pool.end();
      }
    },
    remove: () => rm(copy, { recursive: true, force: true }),
  };
}
