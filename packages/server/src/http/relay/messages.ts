import type { IncomingHttpHeaders } from 'node:http';
import { isLuid, readJson } from '@countersign/protocol';
import type { RequestFacts } from '../../ledgers/request-facts.js';
import type { Answer } from '../../records/command.js';

/**
 * What the leader of a ledger is told of a client's request, in one header: the body is sent as it is. The client's headers are a
 * value in it, so none of them is a header of the call itself.
 */
export interface RequestHead {
  /** Of the request, in the log of the process that it came to. */
  readonly id: string;
  /** Luid. */
  readonly ledger: string;
  /** Luid of the new intent. After a lost answer, it tells whether the intent was stored. */
  readonly luid: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of whoever sent it. */
  readonly ip: string;
  /** Whether the process that the request came to has used up its token, which is good for one use. */
  readonly hasUsedToken: boolean;
}

/** What an answer is beside its status and body. */
export type AnswerHead = Omit<Answer, 'status' | 'body' | 'file'> & {
  /** What became known of the request; absent where it was not looked at. */
  readonly facts?: RequestFacts | undefined;
};

/** The header that both are in. */
export const HEAD_HEADER = 'countersign-head';

/** Bytes of all headers of a request: those that a client may send, as JSON. */
export const HEADER_BYTES = 64 * 1024;

/** The process is not the leader of the ledger. Nothing was stored. */
export const MISDIRECTED = 421;

/** The process has no memory for the request. Nothing was stored. */
export const OUT_OF_MEMORY = 507;

/** The caller is allowed: the body counts for the ledger. */
export const GRANTED = 102;

/** @throws Error for what is no head */
export function parseRequestHead(text: unknown): RequestHead {
  const head = readJson(typeof text === 'string' ? text : '') as unknown as RequestHead | null;
  const { id, ledger, luid, url, headers, ip, hasUsedToken } = head ?? ({} as Partial<RequestHead>);
  const isHead =
    [id, ledger, url, ip].every((one) => typeof one === 'string') &&
    isLuid(String(luid), 'int') &&
    typeof headers === 'object' &&
    headers !== null &&
    typeof hasUsedToken === 'boolean';
  if (!isHead) throw new Error('No request of another process.');
  return head!;
}
