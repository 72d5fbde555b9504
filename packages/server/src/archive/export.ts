import { createHash } from 'node:crypto';
import type { ChangeLine, CurrentLine, EndLine, HeaderLine, Line, LogHead, StateLine } from '@countersign/verifier';
import { FORMAT, FORMAT_VERSION, STATE_SORTS } from '@countersign/verifier';
import type pg from 'pg';
import { native } from '../auth/native-suite.js';
import { moment, type Runtime } from '../base/clock.js';
import { Corrupt, createIntegrity, type Integrity } from '../integrity/integrity.js';
import { veilKeyOf } from '../integrity/veil.js';
import type { Keyring } from '../keys/keyring.js';
import { seal, sealContext } from '../keys/seal.js';
import type { KindName } from '../kinds/kind.js';
import { createSystemKeys } from '../store/queries/ledgers.js';
import { VEIL_SECRET } from '../store/queries/secrets.js';
import { type Check, versionsOf } from '../store/queries/version.js';
import { rowsOf } from './cursor.js';
import {
  LEAVES,
  type LeafColumns,
  leafOf,
  readLogHead,
  readRestart,
  toNamedLeaf,
  waitSealed,
} from './log-of-export.js';
import { findNamedLedger, type NamedLedger } from './named-ledger.js';
import { fileMac, newSeal, openSeal, type SealWork } from './passphrase.js';
import { ExportRefused } from './refusals.js';
import type { Begun } from './resume.js';
import { SECTIONS } from './sections.js';
import { assertStateCode, createStateCodes } from './state-codes.js';

export interface ExportOptions {
  /** Its connections have no statement timeout. */
  readonly pool: pg.Pool;
  readonly keys: Keyring;
  /** Handle or luid. */
  readonly ledger: string;
  /** Release of Countersign. */
  readonly build: string;
  readonly runtime: Runtime;
  /** Seals the secrets; without it they are left out. */
  readonly passphrase?: string;
  /** Of guessing the passphrase, for files that are thrown away; the command leaves it out. */
  readonly sealWork?: SealWork;
  /** Whether a server may run that seals: the export waits moments for it. */
  readonly maySeal?: boolean;
  /** What an export that was interrupted has written; it goes on behind that, where it is what the ledger holds. */
  readonly begun?: Begun;
  /** Called with the log before any of it is written: it is about to be shown. */
  readonly shown?: (log: LogHead) => Promise<void>;
  /** Takes the text, lines with their breaks; resolves when there is room for more. */
  readonly write: (text: string) => Promise<void>;
  /** Versions that were written, and how many there are. */
  readonly progress?: (done: number, all: number) => void;
}

/** What an export holds. */
export interface Exported {
  readonly header: HeaderLine;
  readonly end: EndLine;
}

interface ChangeRow extends LeafColumns {
  readonly luid: string;
  readonly change: number;
  readonly kind: KindName;
  readonly action: ChangeLine['action'];
  readonly moment: Date;
  /** Null of a version that is erased. */
  readonly hash: string | null;
  readonly body: string | null;
  readonly mac: string | null;
  readonly current: number | null;
  readonly seq: number;
  readonly link_since: number | null;
  readonly link_proven: boolean;
}

/** By luid, so that the versions of a record stand together, and in the same order each time. */
const CHANGES = `select c.luid, c.change, c.kind, c.action, c.moment, c.hash, c.body, c.mac, r.change as current, r.seq,
  r.link_since, r.link_proven, leaf.*, named.leaf as leaf_named
  from ${versionsOf('$1')} c left join record r on r.ledger_id = c.ledger_id and r.luid = c.luid ${LEAVES}
  order by c.luid, c.change`;

const TAKEN_NAMES = `select replace(digest::text, '-', '') as name, luid from erased_proof where ledger_id = $1 order by digest`;

interface SecretRow {
  readonly luid: string;
  readonly name: string;
  /** Null of the key of veiled names, where the ledger has its key of the master key. */
  readonly sealed: Buffer | null;
}

/** With the key of veiled names, `$3`, where there are such. */
const SECRET_ROWS = `select luid, name, sealed from secret where ledger_id = $1
  union all select $2::text, $3::text, null
    where exists (select from erased_proof where ledger_id = $1)
      and not exists (select from secret where (ledger_id, luid, name) = ($1, $2, $3))
  order by luid, name`;

/**
 * Writes all of a ledger, as of one moment: every version of every record byte for byte, its money, and what the server
 * works with (export#lines). It holds a few rows at a time.
 *
 * @throws ExportRefused for an unknown ledger, for a row that is not what the ledger stored, and for an export that cannot
 *   go on because the ledger has changed
 */
export async function exportLedger(options: ExportOptions): Promise<Exported> {
  if (options.maySeal !== false)
    await waitSealed(options.pool, (await findNamedLedger(options.pool, options.ledger, ExportRefused)).id);
  const client = await options.pool.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
    return await new Writer(client, options).run();
  } finally {
    await client.query('rollback').catch(() => undefined);
    client.release();
  }
}

class Writer {
  readonly #digest = createHash('sha256');
  readonly #lines: Record<string, number> = {};
  /** Bytes that the file has already. */
  #kept: number;
  #pending: string[] = [];
  #size = 0;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly options: ExportOptions,
  ) {
    this.#kept = options.begun?.length ?? 0;
  }

  async run(): Promise<Exported> {
    const { begun, passphrase, runtime } = this.options;
    const ledger = await findNamedLedger(this.client, this.options.ledger, ExportRefused);
    const counts = await this.#count(ledger);
    const log = await readLogHead(this.client, ledger.id);
    if (begun) assertSame(begun.header, ledger, counts, log);
    if (passphrase !== undefined) await this.#assertKeys(ledger);
    const sealed = await this.#sealing(passphrase, begun?.header);
    const made = await this.#header(ledger, counts, moment(runtime), sealed?.seal);
    const { build, moment: began } = begun?.header ?? made;
    // Witnesses may have cosigned meanwhile: what was begun stays as it is.
    const head = begun?.header.log ?? log;
    const header = { ...made, build, moment: began, ...(head ? { log: head } : {}) };
    if (log) await this.options.shown?.(log);
    await this.#put(header);
    const restart = await readRestart(this.client, ledger.id);
    if (restart) await this.#put(restart);
    await this.#changes(ledger, header);
    const codesOf = createStateCodes(this.options.keys.codes);
    for (const section of SECTIONS) {
      for await (const row of rowsOf(this.client, section.select, [ledger.id])) {
        const line = section.toLine(row);
        if (isState(line)) assertStateCode(codesOf(ledger.id, line), row, line);
        await this.#put(line);
      }
    }
    if (sealed) await this.#secrets(ledger, sealed.key);
    await this.#flush();
    const sha256 = this.#digest.digest('hex');
    const mac = sealed ? { mac: fileMac(sealed.key, sha256) } : {};
    const end: EndLine = { line: 'end', lines: { ...this.#lines }, sha256, ...mac };
    await this.options.write(`${JSON.stringify(end)}\n`);
    return { header, end };
  }

  async #count({ id }: NamedLedger): Promise<{ changes: number; entries: number }> {
    const { rows } = await this.client.query<{ changes: number; entries: number }>(
      `select (select count(*) from change where ledger_id = $1) as changes,
        (select count(*) from entry where ledger_id = $1) as entries`,
      [id],
    );
    return rows[0]!;
  }

  /**
   * An export with keys stands for a ledger that can be used again. One of a ledger that has no private keys is refused: it
   * could be taken for such an export.
   */
  async #assertKeys({ id }: NamedLedger): Promise<void> {
    if (await createSystemKeys(this.options.pool)(id)) return;
    throw new ExportRefused('The ledger is read-only here, and has no private keys. Export it without --with-keys.');
  }

  async #sealing(passphrase: string | undefined, begun: HeaderLine | undefined) {
    if (begun?.secrets && passphrase === undefined)
      throw new ExportRefused('The export was begun with keys: it goes on with its passphrase only.');
    if (begun && !begun.secrets && passphrase !== undefined)
      throw new ExportRefused('The export was begun without keys: it goes on without them only.');
    if (passphrase === undefined) return undefined;
    if (begun?.secrets) return { key: await openSeal(passphrase, begun.secrets), seal: begun.secrets };
    return newSeal(passphrase, this.options.runtime.random, this.options.sealWork);
  }

  async #header(
    { id, luid, handle }: NamedLedger,
    counts: { changes: number; entries: number },
    now: string,
    secrets: HeaderLine['secrets'],
  ): Promise<HeaderLine> {
    const { rows } = await this.client.query<{ handle: 'system' | 'core' | 'system.auth'; link: string }>(
      `select handle, link from record where ledger_id = $1 and kind = 'signer'
        and handle in ('system', 'core', 'system.auth')`,
      [id],
    );
    const keyOf = (name: string) => rows.find((row) => row.handle === name)?.link ?? '';
    return {
      line: 'header',
      format: FORMAT,
      version: FORMAT_VERSION,
      build: this.options.build,
      moment: now,
      ledger: { luid, handle },
      keys: { system: keyOf('system'), core: keyOf('core'), 'system.auth': keyOf('system.auth') },
      scope: 'everything',
      ...counts,
      ...(secrets ? { secrets } : {}),
    };
  }

  async #changes(ledger: NamedLedger, header: HeaderLine): Promise<void> {
    const { changes } = header;
    const integrity = this.#integrity();
    const weigh = ({ body }: ChangeRow) => body?.length ?? 0;
    let before: ChangeRow | undefined;
    const rows = rowsOf<ChangeRow>(this.client, CHANGES, [ledger.id], { weigh });
    for await (const row of rows) {
      if (before && before.luid !== row.luid) await this.#current(before);
      before = row;
      // Of an erased version, its leaf shows that it was.
      if (row.body !== null) await assertVersionStored(integrity.check, ledger.id, row as WholeRow);
      const { kind, luid, change, action, moment, hash, body: text } = row;
      const leaf = (header.log && leafOf(change, row)) ?? openNamedLeaf(integrity, ledger.id, row);
      const version = { line: 'change', kind, luid, change, action, moment: moment.toISOString(), hash, text };
      await this.#put(leaf ? { ...version, leaf } : version);
      if (this.#lines.change! % 1000 === 0) this.options.progress?.(this.#lines.change!, changes);
    }
    if (before) await this.#current(before);
    this.options.progress?.(this.#lines.change ?? 0, changes);
  }

  /** A version without a code is verified by its hash and the ledger's own proof, as the server does. */
  #integrity(): Integrity {
    const { keys, pool, runtime } = this.options;
    return createIntegrity({ keys, suite: native, random: runtime.random, pool, alarm: () => {} });
  }

  async #current({ luid, current, seq, link_since, link_proven }: ChangeRow): Promise<void> {
    if (current === null) return;
    const line: CurrentLine = {
      line: 'current',
      luid,
      change: current,
      order: seq,
      ...(link_since === null ? {} : { keyOrder: link_since }),
      ...(link_proven ? { keyProven: true } : {}),
    };
    await this.#put(line);
  }

  /** Writes what stays taken of erased records, and all secrets: one of these is the key that the former are named by. */
  async #secrets(ledger: NamedLedger, key: Buffer): Promise<void> {
    const { keys } = this.options;
    for await (const row of rowsOf<{ name: string; luid: string }>(this.client, TAKEN_NAMES, [ledger.id]))
      await this.#put({ line: 'taken', ...row } satisfies StateLine);
    for await (const row of rowsOf<SecretRow>(this.client, SECRET_ROWS, [ledger.id, ledger.luid, VEIL_SECRET])) {
      const { luid, name, sealed } = row;
      const context = sealContext(ledger.luid, luid, name);
      const plain = sealed ? keys.open(sealed, context) : veilKeyOf(keys, luid, undefined);
      await this.#put({
        line: 'secret',
        luid,
        name,
        sealed: seal(key, plain, context).toString('base64'),
      } satisfies StateLine);
    }
  }

  async #put(line: object): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    this.#digest.update(text);
    const { line: sort } = line as Line;
    this.#lines[sort] = (this.#lines[sort] ?? 0) + 1;
    if (this.#kept > 0) return this.#compare(text);
    this.#pending.push(text);
    this.#size += text.length;
    if (this.#size > WRITTEN_AT_ONCE) await this.#flush();
  }

  /**
   * Compares what the file has already, in place of writing it. The last line vouches for the whole file, with what no proof
   * covers, as the order of records: so all of it is made again.
   */
  #compare(text: string): void {
    this.#kept -= Buffer.byteLength(text);
    if (this.#kept > 0) return;
    if (this.#kept === 0 && this.#digest.copy().digest('hex') === this.options.begun?.sha256) return;
    throw new ExportRefused(
      'The file does not match the ledger: it was altered, or the ledger was. Export it anew, in one go.',
    );
  }

  async #flush(): Promise<void> {
    const text = this.#pending.join('');
    this.#pending = [];
    this.#size = 0;
    if (text !== '') await this.options.write(text);
  }
}

/** Characters that are written at once. */
const WRITTEN_AT_ONCE = 256 * 1024;

type WholeRow = ChangeRow & { readonly hash: string; readonly body: string };

/** @throws ExportRefused for a version that is not what the ledger stored: an export would pass it on as such */
async function assertVersionStored(check: Check, ledger: number, row: WholeRow): Promise<void> {
  const { kind, luid, change } = row;
  try {
    const checking = check({ ledger, kind }, row);
    if (checking) await checking;
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    throw new ExportRefused(`Change ${change} of ${luid} ${error.defect}: it was altered in the database.`);
  }
}

/** @throws ExportRefused for a leaf that is not what an import has stored */
function openNamedLeaf({ logCodes }: Integrity, ledger: number, { luid, change, leaf_named }: ChangeRow) {
  if (leaf_named === null) return undefined;
  const opened = logCodes.openLeaves(ledger, { luid, change }, leaf_named);
  if (opened) return toNamedLeaf(opened);
  throw new ExportRefused(`The leaf of change ${change} of ${luid} was altered in the database.`);
}

function isState(line: object): line is StateLine {
  return STATE_SORTS.includes((line as Line).line);
}

/** A log as far as an export depends on it. */
function treeOf(log: LogHead | undefined): string {
  return JSON.stringify({ ...log, cosigned: undefined });
}

function assertSame(
  begun: HeaderLine,
  { luid }: NamedLedger,
  counts: { changes: number; entries: number },
  log: LogHead | undefined,
): void {
  if (begun.ledger.luid !== luid)
    throw new ExportRefused(`The file is an export of ${begun.ledger.handle}, another ledger.`);
  const isSame = begun.changes === counts.changes && begun.entries === counts.entries;
  if (isSame && treeOf(begun.log) === treeOf(log)) return;
  throw new ExportRefused('The ledger has changed since the export was begun: export it anew, in one go.');
}
