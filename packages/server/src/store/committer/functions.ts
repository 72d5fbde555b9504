import { readFileSync } from 'node:fs';
import { PACKAGE } from '../../base/package.js';

/** Functions of the database that store batches, with the types of their parameters. */
export const STORE_BATCH = readSql('store_batch_1');
export const SETTLE_BATCH = readSql('settle_batch_1');
export const CREATE_LEDGER = readSql('create_ledger_1');

function readSql(name: string): string {
  return readFileSync(new URL(`sql/${name}.sql`, PACKAGE), 'utf8');
}

/** A call of a function of the database, by the names of its parameters; each connection plans it once. */
export function callOf(name: string, parameters: Readonly<Record<string, unknown>>) {
  const named = Object.keys(parameters).map((parameter, index) => `${parameter} => $${index + 1}`);
  return { name, text: `select * from ${name}(${named.join(', ')})`, values: Object.values(parameters) };
}
