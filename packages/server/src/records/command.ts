import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import type { OpenFile } from '../base/contained-file.js';

/** The request to an operation: on what, by whom, with what. HTTP requests make commands, and so do workers. */
export interface Command {
  /** The ids in the path: the record (handle or luid), the one it lies under, the change, the delivery, the asset, the entry. */
  readonly params: {
    readonly id?: string;
    readonly parent?: string;
    readonly change?: string;
    readonly event?: string;
    readonly asset?: string;
    readonly request?: string;
  };
  /** The query as sent, without `?`. */
  readonly query: string;
  /** The body of a write; absent unless JSON was sent. */
  readonly body: Json | undefined;
  /** The caller's token, verified. */
  readonly token: Token | undefined;
  /** The code of an invitation, sent in place of a token; outside of ledgers only. */
  readonly invitation?: string | undefined;
  /** Of the new record of a create, where it is known before; generated unless given. */
  readonly luid?: string;
  /** The HTTP request it came in, which bridges are told of. */
  readonly request: ForwardedRequest;
}

/** The header with the id of a request (interface/README#requests). */
export const REQUEST_ID = 'x-request-id';

/** The part of a request that is forwarded to bridges. */
export interface ForwardedRequest {
  /** By which logs and bridges know it; absent for what the ledger does by itself. */
  readonly id?: string;
  readonly method: string;
  /** Path and query below the base path, exactly as sent: `/wallets?data.handle=w`. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The answer of an operation. */
export interface Answer {
  readonly status: number;
  /** JSON text, or of the `type`; absent for an empty answer. */
  readonly body?: string;
  readonly type?: 'text/plain; charset=utf-8';
  /** A file in place of a body, to be kept under that name. */
  readonly file?: OpenFile & { readonly name: string };
  /** Seconds after which it is worth trying again. */
  readonly retryAfter?: number;
  /** What whoever made the request should know, for people (interface/errors#hints-on-what-was-stored). In ASCII. */
  readonly hint?: string;
  /** It holds secrets: caches must not keep it. */
  readonly confidential?: boolean;
  /**
   * Where a write is stored, unless by this request in this ledger: `before`, by an earlier one that it repeats; `elsewhere`, by a
   * bridge alone.
   */
  readonly stored?: 'before' | 'elsewhere';
  /** The change that the answer is about, of a write that was stored, now or before: its client may wait until it is sealed. */
  readonly change?: { readonly luid: string; readonly number: number };
}
