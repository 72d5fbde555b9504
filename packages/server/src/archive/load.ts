import { readJson, type Suite } from '@countersign/protocol';
import type {
  BalanceLine,
  ChangeLine,
  CurrentLine,
  ErasedLine,
  HeaderLine,
  Line,
  StateLine,
} from '@countersign/verifier';
import type pg from 'pg';
import { createLogCodes } from '../integrity/log-leaves.js';
import { createMac } from '../integrity/mac.js';
import type { Keyring } from '../keys/keyring.js';
import { openSealed, sealContext } from '../keys/seal.js';
import { type OpenState, usesOf } from '../money/open-state.js';
import { insertRows, type Table } from './insert.js';
import { type RebuildDeps, rebuildRecord } from './rebuild.js';
import { createStateCodes, type StateCodesOf } from './state-codes.js';

export interface LoadDeps {
  readonly header: HeaderLine;
  /** Number of the ledger in this database. */
  readonly ledger: number;
  readonly keys: Keyring;
  readonly suite: Suite;
  /** Opens the secrets; absent where they are left out. */
  readonly secretKey?: Buffer;
  /** The order of a record in this database, for one of the file. */
  readonly orderOf: (order: number) => number;
  /** ISO 8601. */
  readonly now: string;
}

/** Lines of an export as rows of this database, gathered until they are stored. */
export class Load {
  readonly #rebuild: RebuildDeps;
  readonly #codesOf: StateCodesOf;
  #rows = new Map<Table, object[]>();
  /** How often each key was taken. */
  readonly #taken = new Map<string, number>();
  #changes: (ChangeLine | ErasedLine)[] = [];
  #current: CurrentLine | undefined;

  constructor(private readonly deps: LoadDeps) {
    const { ledger, header, keys, suite, orderOf } = deps;
    const codes = { mac: createMac(keys.codes), logCodes: createLogCodes(keys.codes) };
    this.#rebuild = { ledger, keys: header.keys, ...codes, suite, orderOf };
    this.#codesOf = createStateCodes(keys.codes);
  }

  add(line: Line): void {
    if (line.line === 'current') {
      this.#current = line;
      return;
    }
    if (line.line !== 'change' || line.luid !== this.#changes[0]?.luid) this.#endRecord();
    if (line.line === 'change') this.#changes.push(line);
    const made = this.#rowOf(line);
    if (made) this.#put(...made);
  }

  /** The row of a line that stands alone. */
  #rowOf(line: Line): [Table, object] | undefined {
    switch (line.line) {
      case 'balance':
        return ['balance', balanceRow(line)];
      case 'entry': {
        const { availableBy: available_by, reservedBy: reserved_by, ...others } = line;
        return ['entry', { ...others, available_by, reserved_by }];
      }
      case 'limit': {
        const { text: body, ...others } = line;
        return ['wallet_limit', { ...others, luid: (readJson(body) as { luid: string }).luid, body }];
      }
      case 'open':
        // A ledger without its private keys decides on no intent.
        if (!this.deps.secretKey) return undefined;
        return ['open_intent', this.#openRow(line)];
      case 'delivery':
        return ['delivery', this.#deliveryRow(line)];
      case 'retry':
        if (!this.deps.secretKey) return undefined;
        return ['delivery_retry', line];
      case 'schedule':
        // No ledger has this version, so the schedule is looked at once the ledger appears.
        return ['schedule', { ...line, version: 0 }];
      case 'taken':
        // A ledger without its private keys cannot compare these names, and takes no write that they could refuse.
        if (!this.deps.secretKey) return undefined;
        return ['erased_proof', { digest: line.name, luid: line.luid }];
      case 'secret':
        return this.#secretRow(line);
      default:
        return undefined;
    }
  }

  /** Stores what was gathered. */
  async store(client: pg.ClientBase): Promise<void> {
    this.#endRecord();
    for (const [key, times] of this.#taken) this.#put('taken_key', { public: key, times });
    const rows = this.#rows;
    this.#rows = new Map();
    this.#taken.clear();
    for (const [table, some] of rows) await insertRows(client, this.deps.ledger, table, some);
  }

  #endRecord(): void {
    if (this.#changes.length === 0) return;
    const { changes, record, leaves, used, keys } = rebuildRecord(this.#rebuild, this.#changes, this.#current);
    for (const row of changes) this.#put('change', row);
    if (record) this.#put('record', record);
    for (const row of leaves) this.#put('erased_leaf', row);
    for (const row of used) this.#put('used_proof', row);
    for (const key of keys) this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
    this.#changes = [];
    this.#current = undefined;
  }

  #put(table: Table, row: object): void {
    const rows = this.#rows.get(table);
    if (rows) rows.push(row);
    else this.#rows.set(table, [row]);
  }

  /** Symbols and bridges in use are named with the number that the ledger has here. */
  #openRow(line: StateLine): object {
    const { ledger } = this.deps;
    const uses = usesOf(ledger, (readJson(String(line.state)) as OpenState).state);
    return { ...line, uses, ...this.#codesOf(ledger, line) };
  }

  #deliveryRow(line: StateLine): object {
    const { ledger, now } = this.deps;
    const codes = this.#codesOf(ledger, line);
    // An attempt that ran during the export is made again: receivers know events by their handles.
    const running = line.status === 'running' ? { status: 'pending', due: now } : {};
    if (!this.deps.secretKey) return { ...line, ...codes, ...running, due: undefined };
    return { ...line, ...codes, ...running };
  }

  #secretRow(line: StateLine): [Table, object] | undefined {
    const { header, keys, secretKey } = this.deps;
    if (!secretKey) return undefined;
    const { luid, name, sealed } = line as unknown as { luid: string; name: string; sealed: string };
    const context = sealContext(header.ledger.luid, luid, name);
    const plain = openSealed(secretKey, Buffer.from(sealed, 'base64'), context);
    return ['secret', { luid, name, sealed: `\\x${keys.seal(plain, context).toString('hex')}` }];
  }
}

function balanceRow({ wallet, symbol, version, available, reserved }: BalanceLine): object {
  return {
    wallet,
    symbol,
    version,
    available: available.amount,
    available_luid: available.luid,
    available_moment: available.moment,
    available_changed: available.isChanged,
    reserved: reserved?.amount,
    reserved_luid: reserved?.luid,
    reserved_moment: reserved?.moment,
    reserved_changed: reserved?.isChanged,
  };
}
