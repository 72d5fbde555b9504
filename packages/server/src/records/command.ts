import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '@countersign/protocol';
import type { Token } from '../auth/token.js';

/** What an operation is asked to do: on what, by whom, with what. Requests make commands, and so do workers. */
export interface Command {
  /** What the path names: the record (handle or luid), the one it lies under, the change. */
  readonly params: { readonly id?: string; readonly parent?: string; readonly change?: string };
  /** The query as sent, without `?`. */
  readonly query: string;
  /** The body of a write; absent when there was none, or none of JSON. */
  readonly body: Json | undefined;
  /** The caller's token, verified. */
  readonly token: Token | undefined;
  /** The request that it came in, of which bridges are told. */
  readonly request: ForwardedRequest;
}

/** What bridges are told of the request that they are asked to help with. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query below the base path, exactly as sent: `/wallets?data.handle=w`. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What is answered. */
export interface Answer {
  readonly status: number;
  /** JSON text; absent for an empty answer. */
  readonly body?: string;
  /** Seconds after which it is worth trying again. */
  readonly retryAfter?: number;
  /** It holds secrets: nobody on its way may keep it. */
  readonly confidential?: boolean;
}
