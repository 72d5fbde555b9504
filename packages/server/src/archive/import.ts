import { createHash } from 'node:crypto';
import { isLuid, type Suite } from '@countersign/protocol';
import {
  type EndLine,
  ExportVerifier,
  type Finding,
  type HeaderLine,
  parseLine,
  type Summary,
} from '@countersign/verifier';
import type pg from 'pg';
import { moment, type Runtime } from '../base/clock.js';
import { isHandle } from '../base/handle.js';
import { sha256 } from '../base/sha256.js';
import type { Keyring } from '../keys/keyring.js';
import { VERSIONS_PER_EPOCH } from '../store/epoch-guard.js';
import { transaction } from '../store/transaction.js';
import { type BegunImport, discardBegun, findBegun, forgetBegun, holdImport, keepBegun } from './begun-import.js';
import { type Cut, Cutter } from './cutter.js';
import { Load } from './load.js';
import { drawNumbers, Orders } from './orders.js';
import { assertOwnKeys } from './own-keys.js';
import { isFileMac, openSeal } from './passphrase.js';
import { ImportRefused } from './refusals.js';

export interface ImportOptions {
  readonly pool: pg.Pool;
  readonly keys: Keyring;
  readonly suite: Suite;
  readonly runtime: Runtime;
  /** Reads the file from its beginning, line by line: it is read twice. */
  readonly lines: () => AsyncIterable<string>;
  /** Opens the secrets. */
  readonly passphrase?: string;
  /** Makes a ledger without its private keys: it is read, and refuses all writes. */
  readonly isReadOnly?: boolean;
  /** The ledger's key as it is known beforehand, base64. */
  readonly pinned?: string;
  readonly found: (finding: Finding) => void;
  readonly progress?: (phase: 'verify' | 'store', done: number, all: number) => void;
}

export interface Imported {
  readonly header: HeaderLine;
  readonly summary: Summary;
}

/** SHA-256 of the verified lines before each cut, by how many they are. */
type Cuts = Map<Cut['lines'], Cut['sha256']>;

/** What is stored in the beginning. */
const EMPTY_CUT: Cut = { lines: 0, sha256: '' };

/**
 * Makes a ledger of an export. First all of it is verified; then it is stored, some records at a time, under a number that
 * no ledger has; in the end the ledger appears with all that is in it. So whoever looks sees all or nothing, and an import
 * that was killed goes on where it was.
 *
 * @throws ImportRefused for a file with findings, and for a ledger that is there already; WrongPassphrase; NotAnExport
 */
export async function importLedger(options: ImportOptions): Promise<Imported> {
  let secretKey: Buffer | undefined;
  const { header, end, orders, cuts, summary } = await verifyFile(options, async (header) => {
    assertNames(header);
    await assertAbsent(options.pool, header);
    secretKey = await openSecrets(options, header);
  });
  assertFileMac(secretKey, end);
  const { luid } = header.ledger;
  const lock = await options.pool.connect();
  try {
    await holdImport(lock, luid);
    await assertAbsent(lock, header);
    const begun = await beginImport(lock, luid, { end, orders, cuts, isReadOnly: secretKey === undefined });
    await storeFile(options, { header, begun, end, orders, cuts, secretKey });
    return { header, summary };
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    lock.release();
  }
}

/** @param begin called with the header before the rest is read; what it throws ends the import */
async function verifyFile(
  { suite, pinned, found, progress, lines }: ImportOptions,
  begin: (header: HeaderLine) => Promise<void>,
) {
  let findings = 0;
  let end: EndLine | undefined;
  const orders = new Orders();
  const cutter = new Cutter();
  const cuts: Cuts = new Map();
  const verifier = new ExportVerifier({
    suite,
    digest: createHash('sha256'),
    sha256,
    pinned,
    found(finding) {
      findings += 1;
      found(finding);
    },
  });
  let hasBegun = false;
  for await (const text of lines()) {
    const line = verifier.add(text);
    if (line?.line === 'header' && !hasBegun) {
      hasBegun = true;
      await begin(line);
    }
    if (line) orders.add(line);
    const cut = line && line.line !== 'end' ? cutter.take(line, text) : undefined;
    if (cut) cuts.set(cut.lines, cut.sha256);
    if (line?.line === 'end') end = line;
    if (verifier.changes % 1000 === 0) progress?.('verify', verifier.changes, verifier.header?.changes ?? 0);
  }
  const summary = verifier.end();
  const { header } = verifier;
  if (findings > 0 || !header || !end)
    throw new ImportRefused(`The export is not what its ledger wrote: ${findings} findings. Nothing was stored.`);
  if (header.scope !== 'everything')
    throw new ImportRefused('The export holds what one client may read, and not the whole ledger. Nothing was stored.');
  return { header, end, orders, cuts, summary };
}

/** Nothing where the export has no secrets, and the ledger may be read-only. */
async function openSecrets(
  { passphrase, isReadOnly = false }: ImportOptions,
  { secrets }: HeaderLine,
): Promise<Buffer | undefined> {
  if (isReadOnly) return undefined;
  if (!secrets) {
    throw new ImportRefused(
      "The export was made without the ledger's private keys. Export it with --with-keys, or import it with --read-only.",
    );
  }
  if (passphrase === undefined) throw new ImportRefused('The export holds sealed keys: their passphrase is needed.');
  return openSeal(passphrase, secrets);
}

/**
 * The MAC of the last line shows that the file is as whoever had the passphrase wrote it.
 *
 * @throws ImportRefused where it does not match
 */
function assertFileMac(secretKey: Buffer | undefined, { sha256, mac }: EndLine): void {
  if (!secretKey || isFileMac(secretKey, sha256, mac)) return;
  throw new ImportRefused(
    'The file was altered after it was written: its last line has no code, or one of another file. Nothing was stored.',
  );
}

/** A handle cannot be a luid, so requests that name a ledger by either reach the one that they mean. */
function assertNames({ ledger: { luid, handle } }: HeaderLine): void {
  if (isLuid(luid, 'ldg') && isHandle(handle)) return;
  throw new ImportRefused('The ledger of the export has a name that no ledger can have. Nothing was stored.');
}

async function assertAbsent(client: Pick<pg.Pool, 'query'>, { ledger: { luid, handle } }: HeaderLine): Promise<void> {
  const { rows } = await client.query<{ luid: string }>(
    'select luid from ledger where luid in ($1, $2) or handle in ($1, $2) order by (luid = $1) desc',
    [luid, handle],
  );
  if (!rows[0]) return;
  const why = rows[0].luid === luid ? `has the ledger ${handle} already` : `has another ledger ${handle}`;
  throw new ImportRefused(`The deployment ${why}. Nothing was stored.`);
}

interface ImportBeginning {
  readonly end: EndLine;
  readonly orders: Orders;
  readonly cuts: Cuts;
  readonly isReadOnly: boolean;
}

/** Where the import stands: at its beginning, unless one of the same file and sort was interrupted. */
async function beginImport(client: pg.ClientBase, luid: string, { end, orders, cuts, isReadOnly }: ImportBeginning) {
  const { sha256 } = end;
  const before = await findBegun(client, luid);
  if (before?.sha256 === sha256 && before.isReadOnly === isReadOnly && isPartOf(cuts, before)) return before;
  if (before) await discardBegun(client, luid, before);
  const { rows: drawn } = await client.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('ledger', 'id')) as id`,
  );
  const id = Number(drawn[0]!.id);
  const order = await drawNumbers(client, id, 'record_seq_seq', orders.count);
  const begun = { id, sha256, stored: EMPTY_CUT, order, isReadOnly };
  await keepBegun(client, luid, begun);
  return begun;
}

/** Whether what was stored are verified lines of the file. */
function isPartOf(cuts: Cuts, { stored, isDiscarded }: BegunImport): boolean {
  if (!stored || isDiscarded) return false;
  return stored.lines === 0 || cuts.get(stored.lines) === stored.sha256;
}

interface ImportRun {
  readonly header: HeaderLine;
  readonly begun: BegunImport;
  readonly end: EndLine;
  readonly orders: Orders;
  readonly cuts: Cuts;
  readonly secretKey: Buffer | undefined;
}

async function storeFile(
  options: ImportOptions,
  { header, begun, end, orders, cuts, secretKey }: ImportRun,
): Promise<void> {
  const { pool, keys, suite, runtime, progress } = options;
  const load = new Load({
    header,
    ledger: begun.id,
    keys,
    suite,
    ...(secretKey ? { secretKey } : {}),
    orderOf: (order) => begun.order + orders.rankOf(order),
    now: moment(runtime),
  });
  const cutter = new Cutter();
  const { luid } = header.ledger;
  const { lines: before } = begun.stored ?? EMPTY_CUT;
  let changes = 0;
  for await (const text of options.lines()) {
    const line = parseLine(text);
    if (typeof line === 'string') throw fileChanged();
    if (line.line === 'end') break;
    const stored = cutter.take(line, text);
    // Only what was verified is ever stored.
    if (stored && cuts.get(stored.lines) !== stored.sha256) throw fileChanged();
    if (stored && stored.lines > before) {
      await transaction(pool, async (client) => {
        await load.store(client);
        await keepBegun(client, luid, { ...begun, stored });
      });
      progress?.('store', changes, header.changes);
    }
    if (line.line === 'change') changes += 1;
    if (cutter.lines > before) load.add(line);
  }
  if (cutter.end() !== end.sha256) throw fileChanged();
  await transaction(pool, async (client) => {
    await load.store(client);
    await appear(client, header, begun);
    if (secretKey) await assertOwnKeys(client, { id: begun.id, luid, keys, suite });
  });
  progress?.('store', changes, header.changes);
}

/** From here on the ledger is there. */
async function appear(
  client: pg.PoolClient,
  { ledger: { luid, handle } }: HeaderLine,
  { id, isReadOnly }: BegunImport,
): Promise<void> {
  await client.query(PLACE_RETRIES, [id]);
  // Locked until the commit, so that the ledger joins the others when they are moved on to another epoch.
  const { rows } = await client.query<{ value: string }>(`select value from deployment where name = 'epoch' for share`);
  const version = Number(rows[0]?.value ?? 0) * VERSIONS_PER_EPOCH + 1;
  const made = await client.query(
    `insert into ledger (id, handle, luid, version, owners) overriding system value
     select $1, $2, $3, $4, array(select json_array_elements_text(c.body::json #> '{meta,owners}'))
     from record r join change c using (ledger_id, luid, change)
     where r.ledger_id = $1 and r.kind = 'ledger' and r.luid = $3
     on conflict do nothing`,
    [id, handle, luid, version],
  );
  if (made.rowCount !== 1) throw new ImportRefused(`The deployment has a ledger ${handle} by now.`);
  // A new log begins, with all that was imported. Only a ledger with its private keys can sign one.
  if (!isReadOnly) await client.query(`insert into log_backfill (ledger_id, luid, change) values ($1, '', 0)`, [id]);
  await client.query('insert into storage (ledger_id, bytes) select $1, stored_bytes($1)', [id]);
  await forgetBegun(client, luid);
}

/**
 * In a file, retries name deliveries by their position among those of the ledger. Here they get the numbers of this database.
 */
const PLACE_RETRIES = `update delivery_retry r set
    reached = coalesce((select max(d.seq) from placed d where d.place <= r.reached), 0),
    until = coalesce((select max(d.seq) from placed d where d.place <= r.until), 0)
  where r.ledger_id = $1`.replaceAll(
  'placed',
  '(select seq, row_number() over (order by seq) as place from delivery where ledger_id = $1)',
);

function fileChanged(): ImportRefused {
  return new ImportRefused('The file has changed while it was read. The ledger was not made.');
}
