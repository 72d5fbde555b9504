import type { Suite } from '@countersign/protocol';
import type { RecordName } from './generated/kinds.js';
import type { Signer } from './keys.js';
import type { TokenSource } from './token-source.js';

/** What sends requests: the global `fetch` or one like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How a client is connected. */
export interface ConnectOptions {
  /** The base URL of the server, which ends in `/v2`. */
  readonly server: string;
  /** Handle or luid of the ledger; absent for what is outside every ledger. */
  readonly ledger?: string;
  /** Who signs. */
  readonly signer?: Signer | Promise<Signer>;
  /** Where bearer tokens come from: signed by the signer, for reads, unless told otherwise; `false` for none. */
  readonly token?: TokenSource | false;
  /** The pinned key of the ledger's `system`, base64. Without it the key of the first answer is trusted. */
  readonly systemKey?: string;
  /** Is told the key that was trusted on first use, to be kept and compared. */
  readonly onFirstUse?: (systemKey: string) => void;
  /** Is told what a stored record does not do as it is, in the server's words, which no signature covers. */
  readonly onHint?: (hint: string) => void;
  /** Keys of bridges that keep anchors by themselves: anchors may have a proof of one of these instead. */
  readonly bridgeKeys?: readonly string[];
  /** Seconds that the moment of a signed answer may be off; 300 unless given. */
  readonly tolerance?: number;
  /** Times that a request is sent at most; 5 unless given. */
  readonly attempts?: number;
  /**
   * Milliseconds to wait at most where the server says when to come again; 60,000 unless given. An answer that says later than that is
   * not asked for again.
   */
  readonly mostWait?: number;
  /** Milliseconds for one attempt; 30,000 unless given. */
  readonly timeout?: number;
  /** Bytes of an answer; 16 MiB unless given. */
  readonly maxBytes?: number;
  /** Instead of WebCrypto, which pages without TLS lack: `portable` of `@countersign/protocol`. */
  readonly suite?: Suite;
  /** Instead of the global one. */
  readonly fetch?: Fetch;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends ReadOptions {
  /** Adds the values of secrets, for who may see them (interface/signers#secrets). */
  readonly include?: 'meta.secret';
}

/** What a signer says with a signature: `custom` of the proof. `moment`, `ledger` and `record` are filled in. */
export interface Stated {
  readonly status?: string | null;
  readonly labels?: readonly string[] | { readonly [operator: string]: string | readonly string[] };
  readonly domain?: string;
  readonly [member: string]: unknown;
}

export interface WriteOptions extends ReadOptions {
  /** `custom` of the proof. */
  readonly custom?: Stated;
  /** Values of secrets that `data` refers to (interface/signers#secrets). */
  readonly secret?: Readonly<Record<string, string>>;
  /** Other signers, whose proofs go along. */
  readonly cosigners?: readonly Signer[];
  /** Is given what is about to be signed; where it throws or rejects, nothing is signed or sent. */
  readonly onSigning?: (signing: Signing) => void | Promise<void>;
  /** Is given the signed request before it is sent, to keep it: `resend` sends it again. */
  readonly onSigned?: (request: SignedRequest) => void | Promise<void>;
}

export type SignOptions = Omit<WriteOptions, 'custom' | 'secret' | 'cosigners'>;

export interface DropOptions extends WriteOptions {
  /** Reads the last version afterwards, and verifies that the ledger has signed the drop: the answer says nothing. */
  readonly confirm?: boolean;
}

export interface EraseOptions extends WriteOptions {
  /** The number of the record's last change; looked up in its history unless given. */
  readonly change?: number;
}

export interface RetryOptions extends WriteOptions {
  /** Only this delivery. */
  readonly event?: string;
  /** Whole minutes since the last attempt; 60 unless given, 0 for any. */
  readonly maxAge?: number;
}

/** What keys are asked to sign, as the texts that are hashed (interface/envelope#hash-and-digest). */
export interface Signing extends Pick<SignedRequest, 'record' | 'operation' | 'path'> {
  /** The canonical JSON of the data. */
  readonly data: string;
  /** Of that text; of a proof of a record, as the record has it. */
  readonly hash: string;
  /** The canonical JSON of `custom`. */
  readonly custom: string;
  /** The SHA-256 of `hash` and `custom`, in hex: its bytes are signed. */
  readonly digest: string;
  /** Base64 of the public keys that sign; none where the ledger signs for whom a token stands for. */
  readonly keys: readonly string[];
}

/** A signed write, as JSON: the very bytes are the same each time it is sent. */
export interface SignedRequest {
  readonly record: RecordName;
  readonly operation: 'create' | 'update' | 'sign' | 'drop' | 'erase' | 'check' | 'lookup' | 'retry';
  readonly path: string;
  /** The record that it changes. */
  readonly luid?: string;
  /** The text of the body. */
  readonly body: string;
}

export type FilterScalar = string | number | boolean;

/** Operators of a filter, all of which must hold (interface/lists#operators). */
export interface FilterOperators {
  readonly $eq?: FilterScalar;
  readonly $ne?: FilterScalar;
  readonly $gt?: FilterScalar;
  readonly $gte?: FilterScalar;
  readonly $lt?: FilterScalar;
  readonly $lte?: FilterScalar;
  readonly $in?: readonly FilterScalar[];
  readonly $nin?: readonly FilterScalar[];
  readonly $regex?: string;
}

export type Filter<Member extends string> = { readonly [M in Member]?: FilterScalar | FilterOperators };

export interface ListOptions<Member extends string> extends ReadOptions {
  readonly filter?: Filter<Member>;
  /** Records that are asked for at a time, 1 to 1,000; 100 unless given. */
  readonly limit?: number;
}

export type HistoryOptions = ListOptions<'meta.action' | 'meta.change' | 'meta.moment'>;

/** Data that may leave out the member which the path fills in. */
export type WithoutMember<Data, Member extends string> = Data extends unknown
  ? Omit<Data, Member> & { readonly [M in Member]?: string }
  : never;
