import { createHash } from 'node:crypto';
import type { Suite } from '@countersign/protocol';
import { ExportVerifier, type FileOptions, type Finding, formatFinding, type Summary } from '@countersign/verifier';
import type pg from 'pg';
import { type ExportOptions, exportLedger, type ImportOptions, importLedger } from '../../src/archive/archive.js';
import { native } from '../../src/auth/native-suite.js';
import { sha256 } from '../../src/base/sha256.js';
import { settleMasterKeys } from '../../src/store/deployment/master-keys.js';
import { createPool } from '../../src/store/pool.js';
import { keyringOf } from '../support/keyring.js';
import { type RunningServer, TEST_MASTER_KEY } from '../support/server.js';

/** Whether signatures are valid, by all that they are made of: copies of an export that are altered have most of them alike. */
const known = new Map<string, boolean>();

const remembering: Suite = {
  ...native,
  verify(signature, message, publicKey) {
    const all = [signature, publicKey, message].map((bytes) => Buffer.from(bytes).toString('base64')).join();
    const before = known.get(all);
    if (before !== undefined) return before;
    const isValid = native.verify(signature, message, publicKey);
    known.set(all, isValid);
    return isValid;
  },
};

const RUNTIME = {
  now: () => Date.now(),
  random: (bytes: number) => globalThis.crypto.getRandomValues(new Uint8Array(bytes)),
};

/** Files of tests are guessed in no time: the work against that is most of what an export takes. */
const NO_WORK = { n: 2, r: 1, p: 1 };

/** Runs something on the database of a server, as its operator does. */
export async function withPool<T>(
  { database }: Pick<RunningServer, 'database'>,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool({ connectionString: database.url, statement_timeout: 0 }, () => {});
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** The text of an export. */
export function exported(
  server: RunningServer,
  ledger: string,
  options: Partial<ExportOptions> = {},
  masterKey = TEST_MASTER_KEY,
): Promise<string> {
  return withPool(server, async (pool) => {
    const pieces: string[] = [];
    const write = async (text: string) => void pieces.push(text);
    await exportLedger({
      pool,
      keys: await keyringOf(server.database.url, masterKey),
      ledger,
      build: '0.0.0',
      runtime: RUNTIME,
      sealWork: NO_WORK,
      write,
      ...options,
    });
    return pieces.join('');
  });
}

export async function* linesOf(text: string): AsyncGenerator<string> {
  yield* linesIn(text);
}

/** All lines, without their breaks. */
export function linesIn(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** The first place where two exports differ; undefined where they are the same. Runners print neither of them whole. */
export function differenceOf(one: readonly string[], other: readonly string[]): unknown {
  if (one.length !== other.length) return { lines: [one.length, other.length] };
  const at = one.findIndex((line, at) => line !== other[at]);
  return at < 0 ? undefined : { at, one: one[at], other: other[at] };
}

/** Imports the text of an export. */
export function imported(
  server: RunningServer,
  text: string,
  options: Partial<ImportOptions> = {},
  masterKey = TEST_MASTER_KEY,
): Promise<Finding[]> {
  return withPool(server, async (pool) => {
    const findings: Finding[] = [];
    const found = (finding: Finding) => void findings.push(finding);
    const lines = () => linesOf(text);
    // The database may be new, as that of an operator who imports before the first start.
    const keys = await settleMasterKeys(pool, [masterKey], 'the key of the test');
    await importLedger({ pool, keys, suite: remembering, runtime: RUNTIME, lines, found, ...options });
    return findings;
  });
}

/** Verifies the text of an export. */
export function verified(
  text: string,
  pinned?: string,
  options: Partial<FileOptions> = {},
): { findings: Finding[]; told: string[]; summary: Summary } {
  const findings: Finding[] = [];
  const verifier = new ExportVerifier({
    suite: remembering,
    digest: createHash('sha256'),
    sha256,
    ...options,
    found: (finding) => findings.push(finding),
    ...(pinned === undefined ? {} : { pinned }),
  });
  const lines = text.split('\n');
  for (const line of lines.at(-1) === '' ? lines.slice(0, -1) : lines) verifier.add(line);
  const summary = verifier.end();
  return { findings, told: findings.map(formatFinding), summary };
}

/** The text with another last line: one that fits what the file holds now. */
export function sealedAnew(text: string): string {
  const lines = text.trimEnd().split('\n').slice(0, -1);
  const digest = createHash('sha256');
  const counts: Record<string, number> = {};
  for (const line of lines) {
    digest.update(`${line}\n`);
    const { line: sort } = JSON.parse(line) as { line: string };
    counts[sort] = (counts[sort] ?? 0) + 1;
  }
  const end = JSON.stringify({ line: 'end', lines: counts, sha256: digest.digest('hex') });
  return `${[...lines, end].join('\n')}\n`;
}

/**
 * The lines with the place of each order among all of them, and without leaves: a deployment draws its own numbers, and has a
 * log of its own.
 */
export function ranked(lines: readonly string[]): string[] {
  const member = /(?<="(?:order|keyOrder)":)\d+/g;
  const leaf = /,"leaf":\{"index":\d+,"salt":"[^"]+"\}\}$/;
  // What was committed to of an erased change is the same in every log.
  const place = /(?<=,"leaf":\{)"index":\d+,(?="commitment":"[^"]+"\}\}$)/;
  const isCurrent = (line: string) => line.startsWith('{"line":"current"');
  const orders = lines.filter(isCurrent).flatMap((line) => line.match(member)!.map(Number));
  const places = new Map([...new Set(orders)].sort((one, other) => one - other).map((order, at) => [`${order}`, at]));
  return lines.map((line) =>
    isCurrent(line)
      ? line.replace(member, (order) => `${places.get(order)}`)
      : line.replace(leaf, '}').replace(place, ''),
  );
}
