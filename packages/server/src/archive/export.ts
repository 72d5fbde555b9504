import { createHash } from 'node:crypto';
import type { ChangeLine, CurrentLine, EndLine, HeaderLine, Line, StateLine } from '@countersign/verifier';
import { FORMAT, FORMAT_VERSION } from '@countersign/verifier';
import type pg from 'pg';
import { moment, type Runtime } from '../base/clock.js';
import { createMac, type Mac } from '../integrity/mac.js';
import { open, seal, sealContext } from '../keys/seal.js';
import type { KindName } from '../kinds/kind.js';
import { rowsOf } from './cursor.js';
import { fileMac, newSeal, openSeal } from './passphrase.js';
import { ExportRefused } from './refused.js';
import type { Begun } from './resume.js';
import { SECTIONS } from './sections.js';

export interface ExportOptions {
  /** Its connections have no statement timeout. */
  readonly pool: pg.Pool;
  readonly masterKey: Buffer;
  /** Handle or luid. */
  readonly ledger: string;
  /** Release of Countersign. */
  readonly build: string;
  readonly runtime: Runtime;
  /** Seals the secrets; without it they are left out. */
  readonly passphrase?: string;
  /** What an export that was interrupted has written; it goes on behind that. */
  readonly begun?: Begun;
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

interface LedgerRow {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
}

interface ChangeRow {
  readonly luid: string;
  readonly change: number;
  readonly kind: KindName;
  readonly action: ChangeLine['action'];
  readonly moment: Date;
  readonly hash: string;
  readonly body: string;
  readonly mac: string | null;
  readonly current: number | null;
  readonly seq: number;
  readonly link_since: number | null;
  readonly link_proven: boolean;
}

/** By luid, so that the versions of a record stand together and an export can go on behind any record. */
const CHANGES = `select c.luid, c.change, c.kind, c.action, c.moment, c.hash, c.body, c.mac, r.change as current, r.seq,
  r.link_since, r.link_proven
  from version c left join record r on r.ledger_id = c.ledger_id and r.luid = c.luid
  where c.ledger_id = $1 and c.luid > $2 order by c.luid, c.change`;

/**
 * Writes all of a ledger, as of one moment: every version of every record byte for byte, its money, and what the server
 * works with (export#lines). It holds a few rows at a time.
 *
 * @throws ExportRefused for an unknown ledger, for a row that is not what the ledger stored, and for an export that cannot
 *   go on because the ledger has changed
 */
export async function exportLedger(options: ExportOptions): Promise<Exported> {
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
  readonly #digest;
  readonly #lines: Record<string, number>;
  #pending: string[] = [];
  #size = 0;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly options: ExportOptions,
  ) {
    this.#digest = options.begun?.digest ?? createHash('sha256');
    this.#lines = { ...options.begun?.lines };
  }

  async run(): Promise<Exported> {
    const { begun, passphrase, runtime } = this.options;
    const ledger = await this.#find();
    const counts = await this.#count(ledger);
    if (begun) assertSame(begun.header, ledger, counts);
    const sealed = await this.#sealing(passphrase, begun?.header);
    const header = begun?.header ?? (await this.#header(ledger, counts, moment(runtime), sealed?.seal));
    if (!begun) await this.#put(header);
    await this.#changes(ledger, header);
    for (const section of SECTIONS) {
      const skip = this.#lines[section.line] ?? 0;
      for await (const row of rowsOf(this.client, section.select, [ledger.id], { skip }))
        await this.#put(section.toLine(row));
    }
    if (sealed) await this.#secrets(ledger, sealed.key);
    await this.#flush();
    const sha256 = this.#digest.digest('hex');
    const mac = sealed ? { mac: fileMac(sealed.key, sha256) } : {};
    const end: EndLine = { line: 'end', lines: { ...this.#lines }, sha256, ...mac };
    await this.options.write(`${JSON.stringify(end)}\n`);
    return { header, end };
  }

  async #find(): Promise<LedgerRow> {
    const { rows } = await this.client.query<LedgerRow>(
      'select id, handle, luid from ledger where handle = $1 or luid = $1 order by (luid = $1) desc',
      [this.options.ledger],
    );
    if (!rows[0]) throw new ExportRefused(`There is no ledger ${this.options.ledger} in this database.`);
    return rows[0];
  }

  async #count({ id }: LedgerRow): Promise<{ changes: number; entries: number }> {
    const { rows } = await this.client.query<{ changes: number; entries: number }>(
      `select (select count(*) from change where ledger_id = $1) as changes,
        (select count(*) from entry where ledger_id = $1) as entries`,
      [id],
    );
    return rows[0]!;
  }

  async #sealing(passphrase: string | undefined, begun: HeaderLine | undefined) {
    if (begun?.secrets && passphrase === undefined)
      throw new ExportRefused('The export was begun with keys: it goes on with its passphrase only.');
    if (begun && !begun.secrets && passphrase !== undefined)
      throw new ExportRefused('The export was begun without keys: it goes on without them only.');
    if (passphrase === undefined) return undefined;
    if (begun?.secrets) return { key: await openSeal(passphrase, begun.secrets), seal: begun.secrets };
    return newSeal(passphrase, this.options.runtime.random);
  }

  async #header(
    { id, luid, handle }: LedgerRow,
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

  async #changes(ledger: LedgerRow, { changes }: HeaderLine): Promise<void> {
    if (SECTIONS.some(({ line }) => this.#lines[line]) || this.#lines.secret) return;
    const mac = createMac(this.options.masterKey);
    const weigh = ({ body }: ChangeRow) => body.length;
    let before: ChangeRow | undefined;
    const rows = rowsOf<ChangeRow>(this.client, CHANGES, [ledger.id, this.options.begun?.luid ?? ''], { weigh });
    for await (const row of rows) {
      if (before && before.luid !== row.luid) await this.#current(before);
      before = row;
      assertStored(mac, ledger.id, row);
      const { kind, luid, change, action, moment, hash, body: text } = row;
      const line: ChangeLine = { line: 'change', kind, luid, change, action, moment: moment.toISOString(), hash, text };
      await this.#put(line);
      if (this.#lines.change! % 1000 === 0) this.options.progress?.(this.#lines.change!, changes);
    }
    if (before) await this.#current(before);
    this.options.progress?.(this.#lines.change ?? 0, changes);
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

  async #secrets(ledger: LedgerRow, key: Buffer): Promise<void> {
    const select = 'select luid, name, sealed from secret where ledger_id = $1 order by luid, name';
    const skip = this.#lines.secret ?? 0;
    const rows = rowsOf<{ luid: string; name: string; sealed: Buffer }>(this.client, select, [ledger.id], { skip });
    for await (const { luid, name, sealed } of rows) {
      const context = sealContext(ledger.luid, luid, name);
      const resealed = seal(key, open(this.options.masterKey, sealed, context), context).toString('base64');
      await this.#put({ line: 'secret', luid, name, sealed: resealed } satisfies StateLine);
    }
  }

  async #put(line: object): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    this.#digest.update(text);
    const { line: sort } = line as Line;
    this.#lines[sort] = (this.#lines[sort] ?? 0) + 1;
    this.#pending.push(text);
    this.#size += text.length;
    if (this.#size > PIECE) await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#pending.join('');
    this.#pending = [];
    this.#size = 0;
    if (text !== '') await this.options.write(text);
  }
}

/** Characters that are written at once. */
const PIECE = 256 * 1024;

/** @throws ExportRefused for a version that is not what the ledger stored: an export would pass it on as such */
function assertStored(mac: Mac, ledger: number, row: ChangeRow): void {
  const { kind, luid, change } = row;
  if (row.mac === null || mac({ ledger, kind }, row) === row.mac) return;
  throw new ExportRefused(
    `Change ${change} of ${luid} is not the text that was stored: it was altered in the database.`,
  );
}

function assertSame(begun: HeaderLine, { luid }: LedgerRow, counts: { changes: number; entries: number }): void {
  if (begun.ledger.luid !== luid)
    throw new ExportRefused(`The file is an export of ${begun.ledger.handle}, another ledger.`);
  if (begun.changes === counts.changes && begun.entries === counts.entries) return;
  throw new ExportRefused('The ledger has changed since the export was begun: export it anew, in one go.');
}
