import { createHash } from 'node:crypto';
import { isLuid, parseAddress, type Suite } from '@countersign/protocol';
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
import { limits } from '../limits.js';
import { VERSIONS_PER_EPOCH } from '../store/epoch-guard.js';
import { transaction } from '../store/transaction.js';
import { Load } from './load.js';
import { drawOrders, Orders } from './orders.js';
import { isFileMac, openSeal } from './passphrase.js';
import { ImportRefused } from './refused.js';

export interface ImportOptions {
  readonly pool: pg.Pool;
  readonly masterKey: Buffer;
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

/** How far an import has come. */
interface Begun {
  /** Number of the ledger in this database. */
  readonly id: number;
  /** The file, by its last line. */
  readonly sha256: string;
  /** Lines that are stored. */
  readonly lines: number;
  /** First number of its records' order. */
  readonly order: number;
  /** Whether what takes the private keys is left out. */
  readonly isReadOnly: boolean;
}

/** Characters that are stored at once. */
const PIECE = 4 * 1024 * 1024;

/**
 * Makes a ledger of an export. First all of it is verified; then it is stored, some records at a time, under a number that
 * no ledger has; in the end the ledger appears with all that is in it. So whoever looks sees all or nothing, and an import
 * that was killed goes on where it was.
 *
 * @throws ImportRefused for a file with findings, and for a ledger that is there already; WrongPassphrase; NotAnExport
 */
export async function importLedger(options: ImportOptions): Promise<Imported> {
  const { header, end, orders, summary } = await verifyFile(options);
  const secretKey = await openSecrets(options, header, end);
  const { luid } = header.ledger;
  const lock = await options.pool.connect();
  try {
    const { rows } = await lock.query<{ free: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 1)) as free',
      [luid],
    );
    if (!rows[0]?.free) throw new ImportRefused('Another import of the ledger is under way.');
    await assertAbsent(lock, header);
    const begun = await begin(lock, luid, end, orders, secretKey === undefined);
    await storeFile(options, { header, begun, end, orders, secretKey });
    return { header, summary };
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    lock.release();
  }
}

async function verifyFile({ suite, pinned, found, progress, lines }: ImportOptions) {
  let findings = 0;
  let end: EndLine | undefined;
  const orders = new Orders();
  const verifier = new ExportVerifier({
    suite,
    digest: createHash('sha256'),
    ...(pinned === undefined ? {} : { pinned }),
    found(finding) {
      findings += 1;
      found(finding);
    },
  });
  for await (const text of lines()) {
    const line = verifier.add(text);
    if (line?.line === 'header') assertNames(line);
    if (line) orders.add(line);
    if (line?.line === 'end') end = line;
    if (verifier.changes % 1000 === 0) progress?.('verify', verifier.changes, verifier.header?.changes ?? 0);
  }
  const summary = verifier.end();
  const { header } = verifier;
  if (findings > 0 || !header || !end)
    throw new ImportRefused(`The export is not what its ledger wrote: ${findings} findings. Nothing was stored.`);
  if (header.scope !== 'everything')
    throw new ImportRefused('The export holds what one client may read, and not the whole ledger. Nothing was stored.');
  return { header, end, orders, summary };
}

/** Nothing where the export has no secrets, and the ledger may be read-only. */
async function openSecrets(
  { passphrase, isReadOnly = false }: ImportOptions,
  { secrets }: HeaderLine,
  { sha256, mac }: EndLine,
): Promise<Buffer | undefined> {
  if (isReadOnly) return undefined;
  if (!secrets) {
    throw new ImportRefused(
      "The export was made without the ledger's private keys. Export it with --with-keys, or import it with --read-only.",
    );
  }
  if (passphrase === undefined) throw new ImportRefused('The export holds sealed keys: their passphrase is needed.');
  const key = await openSeal(passphrase, secrets);
  if (!isFileMac(key, sha256, mac)) {
    throw new ImportRefused(
      'The file was altered after it was written: its last line has no code, or one of another file. Nothing was stored.',
    );
  }
  return key;
}

/** A handle cannot be a luid, so requests that name a ledger by either reach the one that they mean. */
function assertNames({ ledger: { luid, handle } }: HeaderLine): void {
  if (isLuid(luid, 'ldg') && handle.length <= limits.handle && parseAddress(handle)) return;
  throw new ImportRefused('The ledger of the export has a name that no ledger can have. Nothing was stored.');
}

async function assertAbsent(client: pg.ClientBase, { ledger: { luid, handle } }: HeaderLine): Promise<void> {
  const { rows } = await client.query<{ luid: string }>(
    'select luid from ledger where luid in ($1, $2) or handle in ($1, $2) order by (luid = $1) desc',
    [luid, handle],
  );
  if (!rows[0]) return;
  const why = rows[0].luid === luid ? `has the ledger ${handle} already` : `has another ledger ${handle}`;
  throw new ImportRefused(`The deployment ${why}. Nothing was stored.`);
}

/** Where the import stands: at its beginning, unless one of the same file and sort was interrupted. */
async function begin(
  client: pg.ClientBase,
  luid: string,
  { sha256 }: EndLine,
  orders: Orders,
  isReadOnly: boolean,
): Promise<Begun> {
  const { rows } = await client.query<{ value: string }>('select value from deployment where name = $1', [
    nameOf(luid),
  ]);
  const before = rows[0] && (JSON.parse(rows[0].value) as Begun);
  if (before?.sha256 === sha256 && before.isReadOnly === isReadOnly) return before;
  // What another file, or the other sort of import, has left stays under its number, which no ledger gets: the history is append-only.
  const { rows: drawn } = await client.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('ledger', 'id')) as id`,
  );
  const order = await drawOrders(client, orders.count);
  const begun = { id: Number(drawn[0]!.id), sha256, lines: 0, order, isReadOnly };
  await keep(client, luid, begun);
  return begun;
}

async function keep(client: pg.ClientBase, luid: string, begun: Begun): Promise<void> {
  await client.query(
    'insert into deployment (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [nameOf(luid), JSON.stringify(begun)],
  );
}

function nameOf(luid: string): string {
  return `import:${luid}`;
}

interface Storing {
  readonly header: HeaderLine;
  readonly begun: Begun;
  readonly end: EndLine;
  readonly orders: Orders;
  readonly secretKey: Buffer | undefined;
}

async function storeFile(options: ImportOptions, { header, begun, end, orders, secretKey }: Storing): Promise<void> {
  const { pool, masterKey, suite, runtime, progress } = options;
  const load = new Load({
    header,
    ledger: begun.id,
    masterKey,
    suite,
    ...(secretKey ? { secretKey } : {}),
    orderOf: (order) => begun.order + orders.rankOf(order),
    now: moment(runtime),
  });
  const digest = createHash('sha256');
  const { luid } = header.ledger;
  let number = 0;
  let changes = 0;
  for await (const text of options.lines()) {
    const line = parseLine(text);
    if (typeof line === 'string') throw changedMeanwhile();
    if (line.line === 'end') break;
    digest.update(`${text}\n`);
    if (line.line === 'change') changes += 1;
    if (number >= begun.lines && load.size > PIECE && load.isBorder(line)) {
      const lines = number;
      await transaction(pool, async (client) => {
        await load.store(client);
        await keep(client, luid, { ...begun, lines });
      });
      progress?.('store', changes, header.changes);
    }
    number += 1;
    if (number > begun.lines) load.add(line, text.length);
  }
  if (digest.digest('hex') !== end.sha256) throw changedMeanwhile();
  await transaction(pool, async (client) => {
    await load.store(client);
    await appear(client, header, begun.id);
  });
  progress?.('store', changes, header.changes);
}

/** From here on the ledger is there. */
async function appear(client: pg.PoolClient, { ledger: { luid, handle } }: HeaderLine, id: number): Promise<void> {
  await client.query(PLACES, [id]);
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
  await client.query('delete from deployment where name = $1', [nameOf(luid)]);
}

/** Retries name deliveries by their place among those of the ledger. */
const PLACES = `update delivery_retry r set
    reached = coalesce((select max(d.seq) from placed d where d.place <= r.reached), 0),
    until = coalesce((select max(d.seq) from placed d where d.place <= r.until), 0)
  where r.ledger_id = $1`.replaceAll(
  'placed',
  '(select seq, row_number() over (order by seq) as place from delivery where ledger_id = $1)',
);

function changedMeanwhile(): ImportRefused {
  return new ImportRefused('The file has changed while it was read. The ledger was not made.');
}
