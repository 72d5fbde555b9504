import { type ChangeAction, isObject, LUID_LENGTH, readJson } from '@countersign/protocol';
import { isTooDeep, LONGEST_LINE, LONGEST_NAME } from './bounds.js';

/** The name of the format, and its version. */
export const FORMAT = 'countersign-export';
export const FORMAT_VERSION = 1;

/** How secrets are sealed to a passphrase: scrypt, then AES-256-GCM for each value. */
export interface SecretSeal {
  readonly kdf: 'scrypt';
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** Base64. */
  readonly salt: string;
  readonly cipher: 'aes-256-gcm';
  /** Tells a wrong passphrase, and reveals nothing of the right one. */
  readonly check: string;
}

/** The log of a ledger as of an export (interface/log-verifying#what-an-export-holds). */
export interface LogHead {
  /** Name of the tree in its checkpoints. */
  readonly origin: string;
  readonly generation: number;
  /** Leaves that were sealed. */
  readonly size: number;
  /** The signed checkpoint of the tree of these leaves. */
  readonly checkpoint: string;
  /** The newest one that witnesses have cosigned; it may have fewer leaves. */
  readonly cosigned?: string;
  /** The log is still being made of changes from before it. */
  readonly behind?: true;
  /** Why nothing is sealed. */
  readonly stopped?: string;
}

/** Where a change is in the log, and what opens its commitment, base64: the text is in its line. */
export interface OpenLeaf {
  readonly index: number;
  readonly salt: string;
}

/** Where a change is in the log whose text was erased; its commitment in base64. */
export interface ClosedLeaf {
  /** Absent where the ledger was imported, and its own log does not have the leaf yet, or never will. */
  readonly index?: number;
  readonly commitment: string;
}

/** The first line of an export (export#lines). */
export interface HeaderLine {
  readonly line: 'header';
  readonly format: string;
  readonly version: number;
  /** Release of Countersign that wrote it, and when. */
  readonly build: string;
  readonly moment: string;
  readonly ledger: { readonly luid: string; readonly handle: string };
  /** Public keys of the ledger's own signers, by their handles. */
  readonly keys: Readonly<Record<'system' | 'core' | 'system.auth', string>>;
  /** `everything` in an export; `readable` of what a server answers to one client. */
  readonly scope: 'everything' | 'readable';
  /** How many versions and movements the ledger has. */
  readonly changes: number;
  readonly entries: number;
  /** How the lines `secret` are sealed; absent without them. */
  readonly secrets?: SecretSeal;
  /** Absent before the ledger has sealed anything. */
  readonly log?: LogHead;
}

/** A leaf of the log that is no change of a record. */
export interface LeafLine {
  readonly line: 'leaf';
  readonly kind: string;
  readonly luid: string;
  readonly change: number;
  readonly action: string;
  readonly text: string;
  readonly index: number;
  readonly salt: string;
}

/** A version of a record. */
export interface ChangeLine {
  readonly line: 'change';
  readonly kind: string;
  readonly luid: string;
  readonly change: number;
  readonly action: ChangeAction;
  readonly moment: string;
  readonly hash: string;
  /** The record as it was served, byte for byte. */
  readonly text: string;
  /** Absent where it was not sealed yet. */
  readonly leaf?: OpenLeaf;
}

/** A version whose text was erased, with all that tells of it. */
export interface ErasedLine extends Omit<ChangeLine, 'hash' | 'text' | 'leaf'> {
  readonly hash: null;
  readonly text: null;
  readonly leaf?: ClosedLeaf;
}

/** Which version of a record is current, after its versions; dropped ones have none. */
export interface CurrentLine {
  readonly line: 'current';
  readonly luid: string;
  readonly change: number;
  /** The order in which lists show records of one moment. */
  readonly order: number;
  /** When it took its key, in the same order, where that was later; and whether it has shown that it has it. */
  readonly keyOrder?: number;
  readonly keyProven?: true;
}

/** One of the two rows of a balance. */
export interface BalancePart {
  readonly amount: number;
  readonly luid: string;
  readonly moment: string;
  readonly isChanged: boolean;
}

export interface BalanceLine {
  readonly line: 'balance';
  /** Luid. */
  readonly wallet: string;
  readonly symbol: string;
  readonly version: number;
  readonly available: BalancePart;
  readonly reserved?: BalancePart;
}

/** A movement of a balance. */
export interface EntryLine {
  readonly line: 'entry';
  readonly wallet: string;
  readonly symbol: string;
  readonly version: number;
  readonly intent: string;
  readonly change: number;
  readonly availableBy: number;
  readonly reservedBy: number;
  readonly available: number;
  readonly reserved?: number;
  readonly moment: string;
}

export interface LimitLine {
  readonly line: 'limit';
  readonly wallet: string;
  readonly symbol: string;
  readonly metric: string;
  readonly version: number;
  readonly amount: number;
  readonly day?: string;
  readonly used: number;
  /** As it is served. */
  readonly text: string;
}

/** A row of the database that the server works with, and that no proof is about: open intents, deliveries, and so on. */
export interface StateLine {
  readonly line: 'open' | 'delivery' | 'retry' | 'schedule' | 'taken' | 'secret';
  readonly [column: string]: unknown;
}

/** The last line. */
export interface EndLine {
  readonly line: 'end';
  /** How many lines there are of each sort, without this one. */
  readonly lines: Readonly<Record<string, number>>;
  /** SHA-256 of all bytes before this line, hex. */
  readonly sha256: string;
  /** With secrets: HMAC-SHA-256 of `sha256` under a key of the passphrase, hex. Who knows the passphrase wrote the file. */
  readonly mac?: string;
}

export type Line =
  | HeaderLine
  | LeafLine
  | ChangeLine
  | ErasedLine
  | CurrentLine
  | BalanceLine
  | EntryLine
  | LimitLine
  | StateLine
  | EndLine;

type Type =
  | 'text'
  | 'luid'
  | 'name'
  | 'integer'
  | 'moment'
  | 'object'
  | 'text?'
  | 'text-or-null'
  | 'integer?'
  | 'moment?'
  | 'object?'
  | 'balance row'
  | 'balance row?'
  | 'texts?'
  | 'true?';

const ROW_FIELDS = { luid: 'luid', change: 'integer' } as const;
const PLACE = { wallet: 'luid', symbol: 'name', version: 'integer' } as const;

/** The members of each sort of line. */
const LINE_MEMBERS: Readonly<Record<string, Readonly<Record<string, Type>> | undefined>> = {
  header: {
    format: 'text',
    version: 'integer',
    build: 'text',
    moment: 'text',
    ledger: 'object',
    keys: 'object',
    scope: 'text',
    changes: 'integer',
    entries: 'integer',
    secrets: 'object?',
    log: 'object?',
  },
  leaf: { kind: 'name', ...ROW_FIELDS, action: 'name', text: 'text', index: 'integer', salt: 'text' },
  change: {
    kind: 'name',
    ...ROW_FIELDS,
    action: 'name',
    moment: 'name',
    hash: 'text-or-null',
    text: 'text-or-null',
    leaf: 'object?',
  },
  current: { ...ROW_FIELDS, order: 'integer', keyOrder: 'integer?', keyProven: 'true?' },
  balance: { ...PLACE, available: 'balance row', reserved: 'balance row?' },
  entry: {
    ...PLACE,
    intent: 'luid',
    change: 'integer',
    availableBy: 'integer',
    reservedBy: 'integer',
    available: 'integer',
    reserved: 'integer?',
    moment: 'name',
  },
  limit: { ...PLACE, metric: 'name', amount: 'integer', day: 'text?', used: 'integer', text: 'text' },
  open: {
    luid: 'luid',
    thread: 'text',
    version: 'integer',
    due: 'moment?',
    deadline: 'moment?',
    stage: 'text',
    state: 'text',
  },
  delivery: {
    handle: 'text',
    effect: 'text?',
    effect_handle: 'text?',
    effect_change: 'integer?',
    effect_domain: 'text?',
    bridge: 'text?',
    target: 'text',
    record: 'text?',
    linked: 'text?',
    event: 'text',
    moment: 'moment',
    status: 'text',
    attempts: 'integer',
    tries: 'integer',
    signed: 'moment?',
    attempted: 'moment?',
    due: 'moment?',
    proofs: 'text',
    purpose: 'text?',
    entry: 'text?',
    given_up: 'text?',
  },
  retry: {
    owner: 'text',
    id: 'text',
    slot: 'integer',
    requested: 'moment',
    since: 'moment?',
    domains: 'texts?',
    worked: 'moment',
    reached: 'integer',
    until: 'integer',
  },
  schedule: { policy: 'text', hash: 'text?', through: 'moment?', next_at: 'moment?' },
  taken: { name: 'text', luid: 'luid' },
  secret: { luid: 'luid', name: 'text', sealed: 'text' },
  end: { lines: 'object', sha256: 'text', mac: 'text?' },
};

/** The same as lists, since each line is held against one. */
const SHAPES = new Map(Object.entries(LINE_MEMBERS).map(([sort, shape]) => [sort, Object.entries(shape!)]));

/** Sorts of what the server works with, which nobody signs. */
export const STATE_SORTS: readonly string[] = ['open', 'delivery', 'retry', 'schedule', 'taken', 'secret'];

/** The order of the sorts: each stands together, `change` and `current` as one. */
const LINE_ORDER = ['header', 'leaf', 'change', 'balance', 'entry', 'limit', ...STATE_SORTS, 'end'];

/** Where a sort of line stands in the file. */
export function rankOf(line: string): number {
  return LINE_ORDER.indexOf(line === 'current' ? 'change' : line);
}

/**
 * A line of an export.
 *
 * @returns a text that says what is wrong with it, where it is none
 */
export function parseLine(text: string): Line | string {
  if (text.length > LONGEST_LINE) return 'is longer than any of an export';
  if (isTooDeep(text)) return 'is nested deeper than any of an export';
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    return 'is not JSON';
  }
  if (!isObject(value) || typeof value.line !== 'string') return 'is not a line of an export';
  const shape = SHAPES.get(value.line);
  if (!shape) return `is of an unknown sort, '${value.line.slice(0, 40)}'`;
  const extra = Object.keys(value).find((member) => member !== 'line' && !shape.some(([name]) => name === member));
  if (extra !== undefined) return `has an unknown member '${extra.slice(0, 40)}'`;
  for (const [member, type] of shape) {
    const text = value[member];
    if (typeof text === 'string' && isTooDeep(text)) return `is nested deeper in '${member}' than any of an export`;
    if (!isOfType(type, value[member])) return `has no ${type.replace(/\?|-or-null/, '')} in '${member}'`;
  }
  if (value.line === 'change' && (value.text === null) !== (value.hash === null)) return 'is erased in part';
  return JSON.stringify(value) === text ? (value as unknown as Line) : 'is not written as an export writes it';
}

function isOfType(type: Type, value: unknown): boolean {
  if (value === undefined) return type.endsWith('?');
  if (type === 'luid') return typeof value === 'string' && value.length <= LUID_LENGTH;
  if (type === 'name') return typeof value === 'string' && value.length <= LONGEST_NAME;
  if (type === 'text-or-null') return typeof value === 'string' || value === null;
  if (type.startsWith('moment')) return typeof value === 'string' && isCalendarMoment(value);
  if (type === 'texts?') return Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (type.startsWith('text')) return typeof value === 'string';
  if (type.startsWith('integer')) return Number.isSafeInteger(value);
  if (type.startsWith('balance')) return isObject(value) && isRow(value);
  return type.startsWith('object') ? isObject(value) : value === true;
}

/** One of the two rows of a balance: what is no number would count as one. */
function isRow({ amount, luid, moment, isChanged, ...others }: Readonly<Record<string, unknown>>): boolean {
  const isText = typeof luid === 'string' && typeof moment === 'string';
  return Number.isSafeInteger(amount) && isText && typeof isChanged === 'boolean' && Object.keys(others).length === 0;
}

/** A moment as the ledger writes it, which the calendar has. */
function isCalendarMoment(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
