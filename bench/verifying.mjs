import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readJson } from '@countersign/protocol';
import { exportLedger } from '../packages/server/dist/archive/archive.js';
import { readKeyring } from '../packages/server/dist/store/deployment/master-keys.js';
import { createPool } from '../packages/server/dist/store/pool.js';
import { databaseIn } from './conditions.mjs';

/** Wallets of the ledger that are changed again, so that not all of the export is first versions. */
const UPDATES = 5_000;

const MEGABYTE = 1e6;

/** Exports the ledger that was measured on, and verifies it in a process of its own. */
export async function measureVerifier(tell, { port, folder }, { connections }) {
  await tell('prepare', { shape: 'update', count: UPDATES });
  await tell('run', { shape: 'update', port, connections });
  const path = join(folder, 'bench.ndjson');
  await writeExport(path, folder);
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('./verify.mjs', import.meta.url)),
    path,
  ]);
  const { changes, signatures, findings, seconds, base, peak } = readJson(stdout);
  if (findings > 0) throw new Error(`the verifier found ${findings} faults in the export`);
  const memory = `${Math.round(peak / MEGABYTE)} MB at most, ${Math.round(base / MEGABYTE)} of them before it began`;
  return `verified ${changes} changes with ${signatures} signatures at ${Math.round(changes / seconds)}/s of processor time, in ${memory}`;
}

/** The keyring of the server in that folder. */
function keyringIn(pool, folder) {
  const masterKey = Buffer.from(readFileSync(join(folder, 'master.key'), 'utf8'), 'base64');
  return readKeyring(pool, [masterKey], folder);
}

async function writeExport(path, folder) {
  const pool = createPool({ ...databaseIn(folder), statement_timeout: 0, query_timeout: 0 }, () => {});
  const file = createWriteStream(path);
  try {
    await exportLedger({
      pool,
      keys: await keyringIn(pool, folder),
      ledger: 'bench',
      build: 'bench',
      runtime: { now: () => Date.now(), random: (bytes) => randomBytes(bytes) },
      write: (text) =>
        new Promise((resolve, reject) => file.write(text, (error) => (error ? reject(error) : resolve()))),
    });
    file.end();
    await finished(file);
  } finally {
    await pool.end();
  }
}
