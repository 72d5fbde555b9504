import { readFileSync } from 'node:fs';
import { PACKAGE } from '../../base/package.js';

/** Functions of the database that store batches, with the types of their parameters. */
export const STORE_BATCH = readSql('store_batch_1');
export const SETTLE_BATCH = readSql('settle_batch_1');
export const CREATE_LEDGER = readSql('create_ledger_1');

function readSql(name: string): string {
  return readFileSync(new URL(`sql/${name}.sql`, PACKAGE), 'utf8');
}
