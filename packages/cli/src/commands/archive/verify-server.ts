import { isObject, type JsonObject, type RecordEnvelope, type Suite } from '@countersign/protocol';
import {
  type BalancePart,
  type Finding,
  kindOfLuid,
  LedgerVerifier,
  type RecordVersion,
  type Summary,
} from '@countersign/verifier';
import { Failure, usage } from '../../terminal/failure.js';
import type { ServerConnection } from '../../wire/connection.js';
import { idIn } from '../../wire/route.js';
import { Gaps } from './gaps.js';
import { readHistory } from './history-reader.js';
import { itemsOf, readInParts } from './page-reader.js';
import { findRefusedHandles } from './refused-handles.js';
import { ServerRefusal, ServerSource } from './server-source.js';

/** Items of a list that are read. */
const MOST_ITEMS = 1_000_000;

/** Where the records of each kind are listed; those that lie under others, below them. */
const LIST_PATHS: Readonly<Record<string, string>> = {
  signer: 'signers',
  domain: 'domains',
  report: 'reports',
  policy: 'policies',
  schema: 'schemas',
  effect: 'effects',
  circle: 'circles',
  anchor: 'anchors',
  wallet: 'wallets',
  intent: 'intents',
  symbol: 'symbols',
  bridge: 'bridges',
};
const BELOW: Readonly<Record<string, { readonly kind: string; readonly path: string }>> = {
  signer: { kind: 'signer-factor', path: 'factors' },
  circle: { kind: 'circle-signer', path: 'signers' },
};

export interface ServedOptions {
  readonly suite: Suite;
  readonly found: (finding: Finding) => void;
  readonly pinned?: string;
}

interface How {
  readonly isComplete: boolean;
  readonly progress: (done: number) => void;
}

/** Verifies what a server answers: one record, or all that the caller may read. */
export async function verifyServed(
  connection: ServerConnection,
  record: string | undefined,
  options: ServedOptions,
  { isComplete, progress }: How,
): Promise<Summary> {
  if (connection.ledger === undefined)
    throw usage('No ledger is selected.', '`countersign ledger select <handle>`, or give --ledger');
  const ledger = await connection.get<JsonObject>('/ledger');
  const served = new ServerSource(connection);
  const keys = await findClaimedKeys(served, options.pinned);
  const named = { luid: String(ledger.luid), handle: String((ledger.data as JsonObject).handle) };
  const claimed = { ledger: named, keys, scope: 'readable' as const };
  const isAll = record === undefined;
  const gaps = new Gaps(options.found);
  const verifierOptions = { ...options, found: gaps.take, ledger: claimed, isComplete: isComplete && isAll };
  const verifier = new LedgerVerifier(verifierOptions);
  const reader = new LedgerReader(served, verifier, gaps, progress);
  await reader.history('ledger', '/ledger', { luid: named.luid });
  for (const name of ['system', 'core', 'system.auth']) await reader.history('signer', `/signers/${name}`, { name });
  if (record !== undefined && record !== 'ledger') await reader.record(record);
  if (isAll) await reader.all();
  return verifier.end();
}

/** Public keys of the ledger's own signers, as the server claims them. */
async function findClaimedKeys(served: ServerSource, pinned: string | undefined) {
  const keyOf = async (name: string) => {
    const answer = await served.get(`/signers/${name}`);
    if (!(answer instanceof ServerRefusal)) return isObject(answer.data) ? String(answer.data.public) : '';
    if (name === 'system' && pinned !== undefined) return pinned;
    throw new Failure('refused', `/signers/${name} ${answer.why}`, {
      advice: "signatures cannot be verified without this key; the server's log names what was altered",
    });
  };
  return { system: await keyOf('system'), core: await keyOf('core'), 'system.auth': await keyOf('system.auth') };
}

/** What the record must be that a history is of. */
interface ExpectedRecord {
  readonly luid?: string;
  /** Its handle at some time, or the signer of a membership. */
  readonly name?: string;
  /** The handle of the record above. */
  readonly parent?: string;
}

/** Reads histories, and hands them to the verifier. */
class LedgerReader {
  readonly #seen = new Set<string>();
  readonly #wallets: string[] = [];

  constructor(
    private readonly served: ServerSource,
    private readonly verifier: LedgerVerifier,
    private readonly gaps: Gaps,
    private readonly progress: (done: number) => void,
  ) {}

  /** Every record in the lists, then the money of wallets. */
  async all(): Promise<void> {
    for (const [kind, path] of Object.entries(LIST_PATHS)) {
      const { refused } = this.served;
      const listed = await this.#list(`/${path}`);
      if (this.served.refused > refused) await this.#refusedIn(kind, `/${path}`, [...listed.values()]);
      for (const [luid, handle] of listed) {
        await this.history(kind, `/${path}/${luid}`, { luid });
        const below = BELOW[kind];
        if (!below) continue;
        const above = `/${path}/${encodeURIComponent(handle)}/${below.path}`;
        for (const [one] of await this.#list(above)) {
          if (this.#seen.has(one)) this.#report(`${above} lists ${one}, which lies below another record`);
          await this.history(below.kind, `${above}/${one}`, { luid: one, parent: handle });
        }
      }
      if (kind === 'wallet') this.#wallets.push(...listed.keys());
    }
    for (const luid of this.#wallets) await this.#money(luid);
  }

  /** The records that a list refuses, by their handles: what can be read of them is verified. */
  async #refusedIn(kind: string, path: string, known: readonly string[]): Promise<void> {
    for (const name of await findRefusedHandles(this.served, path, known)) {
      await this.history(kind, `${path}/${encodeURIComponent(name)}`, { name }).catch((error: unknown) => {
        // Dropped since.
        if (!(error instanceof Failure && error.more.reason === 'record.not-found')) throw error;
      });
    }
  }

  /** One record, by luid or path. */
  async record(named: string): Promise<void> {
    const kind = named.startsWith('$') ? kindOfLuid(named) : kindOfPath(named);
    const path = kind === undefined ? undefined : LIST_PATHS[kind];
    if (named.startsWith('$') && path === undefined)
      throw new Failure('usage', 'A record below another is named by its path.', {
        advice: 'such as signers/ada/factors/phone',
      });
    if (named.startsWith('$')) return this.history(kind ?? '', `/${path}/${named}`, { luid: named });
    const whole = named.replace(/^\/?/, '/');
    const { id, parent } = idIn(whole);
    if (id?.startsWith('$') && kindOfLuid(id) !== kind)
      throw usage(`${id} is not the luid of a ${kind}.`, 'name a member of a circle by the handle of the signer');
    const above = parent?.startsWith('$') ? undefined : parent;
    return this.history(kind ?? '', whole, { ...(id?.startsWith('$') ? { luid: id } : { name: id }), parent: above });
  }

  /** All versions of a record, oldest first. */
  async history(kind: string, path: string, named: ExpectedRecord): Promise<void> {
    if (named.luid !== undefined && this.#seen.has(named.luid)) return;
    const { items, unread, defects } = await readHistory(this.served, path);
    const versions = items.map((item) => toVersion(kind, item)).reverse();
    const [first] = versions;
    const luid = named.luid ?? first?.luid;
    const place = { kind, luid };
    for (const detail of defects) this.#report(detail, place);
    this.gaps.add(luid, [...unread.keys()]);
    for (const [change, why] of unread) this.#report(luid === undefined ? `${path} ${why}` : why, { ...place, change });
    const isUnread = defects.length > 0 || unread.size > 0;
    if (first === undefined && isUnread) return;
    const defect = first === undefined ? 'is answered with no version' : unlike(versions, named);
    if (defect !== undefined) this.#report(`${path} ${defect}`, place);
    if (defect !== undefined || !first || this.#seen.has(first.luid)) return;
    this.#seen.add(first.luid);
    for (const version of versions) this.verifier.add(version);
    this.verifier.endRecord();
    this.progress(this.verifier.changes);
  }

  /** The luids of a list with their handles, read before the records: other writes meanwhile move few of them. */
  async #list(path: string): Promise<Map<string, string>> {
    const listed = new Map<string, string>();
    for await (const { luid, data } of this.#items(path, ({ luid }) => String(luid), MOST_ITEMS))
      listed.set(String(luid), isObject(data) ? String(data.handle) : '');
    return listed;
  }

  #items(path: string, keyOf: (item: JsonObject) => string, most: number): AsyncGenerator<JsonObject> {
    const givenUp = (why: string) => this.#report(`${path} ${why}`);
    const instead = (index: number, refused: ServerRefusal) => readInParts(this.served, path, index, refused, givenUp);
    return itemsOf(this.served, path, { keyOf, most, givenUp, instead });
  }

  #report(detail: string, place: Omit<Finding, 'rule' | 'detail'> = {}): void {
    this.gaps.report({ ...place, rule: 'file', detail });
  }

  async #money(wallet: string): Promise<void> {
    const balances = `/wallets/${wallet}/balances`;
    const rows = new Map<string, { available?: BalancePart; reserved?: BalancePart }>();
    for await (const { data, luid, meta } of this.#items(balances, rowKey, MOST_ITEMS)) {
      const { symbol, schema, amount, parent } = data as JsonObject;
      const row = {
        amount: Number(amount),
        luid: String(luid),
        moment: String((meta as JsonObject).moment),
        isChanged: parent === '',
      };
      rows.set(String(symbol), {
        ...rows.get(String(symbol)),
        [schema === 'reserved' ? 'reserved' : 'available']: row,
      });
    }
    for (const [symbol, { available, reserved }] of rows) {
      if (available)
        this.verifier.addLine({
          line: 'balance',
          wallet,
          symbol,
          version: 1,
          available,
          ...(reserved ? { reserved } : {}),
        });
    }
    for await (const item of this.#items(`/wallets/${wallet}/limits`, rowKey, MOST_ITEMS)) {
      const { symbol, metric, amount } = item.data as JsonObject;
      const text = JSON.stringify(item);
      this.verifier.addLine({
        line: 'limit',
        wallet,
        symbol: String(symbol),
        metric: String(metric),
        version: 1,
        amount: Number(amount),
        used: 0,
        text,
      });
    }
  }
}

/** What tells balances of a wallet apart, and limits. */
function rowKey({ data }: JsonObject): string {
  const { symbol, schema, metric } = isObject(data) ? data : {};
  return JSON.stringify([symbol, schema, metric]);
}

/** Why versions are not those of the record that was asked for; undefined when they are. */
function unlike(versions: readonly RecordVersion[], { luid, name, parent }: ExpectedRecord): string | undefined {
  const first = versions[0] as RecordVersion;
  const other = versions.find((one) => one.luid !== first.luid);
  if (other) return `is answered with versions of ${first.luid} and of ${other.luid}`;
  if (luid !== undefined && first.luid !== luid) return `is answered with ${first.luid}`;
  const says = (member: string, value: string) =>
    versions.some(({ record }) => isObject(record.data) && record.data[member] === value);
  const isMember = first.kind === 'circle-signer';
  if (name !== undefined && !says(isMember ? 'signer' : 'handle', name))
    return `is answered with ${first.luid}, which has another handle`;
  const above = isMember ? 'circle' : 'signer';
  if (parent !== undefined && !says(above, parent))
    return `is answered with ${first.luid}, which lies below another record`;
  return undefined;
}

/** A version of the history as the record that it was (interface/records#history). */
function toVersion(kind: string, { hash, data, luid, meta, ...others }: JsonObject): RecordVersion {
  const { change, action, labels, ...kept } = isObject(meta) ? meta : {};
  const record = {
    hash,
    data,
    luid,
    meta: { ...kept, ...(labels === null || labels === undefined ? {} : { labels }) },
    ...others,
  };
  return {
    kind,
    luid: String(luid),
    change: Number(change),
    action: action as RecordVersion['action'],
    record: record as unknown as RecordEnvelope,
  };
}

/** The kind that a path like `wallets/shop` or `signers/ada/factors/phone` leads to. */
function kindOfPath(path: string): string | undefined {
  const [list, , below] = path.replace(/^\//, '').split('/');
  const kind = Object.keys(LIST_PATHS).find((one) => LIST_PATHS[one] === list);
  if (below === undefined || kind === undefined) return kind;
  return BELOW[kind]?.path === below ? BELOW[kind].kind : undefined;
}
