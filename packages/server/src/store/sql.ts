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
const MIGRATION = /^(\d{4})-[a-z-]+\.sql$/;

/** The first line of one that earlier servers may serve beside: the number of the migration that they must know. */
const BESIDE = /^-- Servers that know (\d{4}) may serve beside it\.\n/;

export interface Migration {
  readonly name: string;
  /** Four digits, in order. */
  readonly number: string;
  /** The number of the newest migration that a server must know to serve once it has run: its own, unless it says otherwise. */
  readonly least: string;
  readonly text: string;
}

/** All migrations, in order: a file of `sql/migrations` each. */
export function readMigrations(): readonly Migration[] {
  const files = readdirSync(new URL('migrations/', FOLDER)).sort();
  return files.flatMap((file) => {
    const [, number] = MIGRATION.exec(file) ?? [];
    if (number === undefined) return [];
    const name = file.replace(/\.sql$/, '');
    const text = readSql(`migrations/${name}`);
    return [{ name, number, least: BESIDE.exec(text)?.[1] ?? number, text }];
  });
}
