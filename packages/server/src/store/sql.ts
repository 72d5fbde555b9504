import { readdirSync, readFileSync } from 'node:fs';
import { PACKAGE } from '../base/package.js';

const FOLDER = new URL('sql/', PACKAGE);

/**
 * The text of a file of the folder `sql`, with the files that it includes as psql does (`\ir`).
 *
 * @param path below the folder, without the ending
 */
export function readSql(path: string): string {
  return readWithIncluded(new URL(`${path}.sql`, FOLDER));
}

function readWithIncluded(file: URL): string {
  const text = readFileSync(file, 'utf8');
  return text.replace(/^\\ir (.+)$/gm, (_, included: string) => readWithIncluded(new URL(included, file)));
}

/** What editors leave beside it is none. */
const MIGRATION = /^\d{4}-[a-z-]+\.sql$/;

/** The texts of all migrations by their names, in order: a file of `sql/migrations` each. */
export function readMigrations(): Readonly<Record<string, string>> {
  const files = readdirSync(new URL('migrations/', FOLDER))
    .filter((file) => MIGRATION.test(file))
    .sort();
  const names = files.map((file) => file.replace(/\.sql$/, ''));
  return Object.fromEntries(names.map((name) => [name, readSql(`migrations/${name}`)]));
}
