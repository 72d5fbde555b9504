import { HANDLE_PATTERN, isLuid, type Json, LedgerError } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import { type OutboundAnswer, type OutboundCall, OutboundFailure } from '../outbound/outbound.js';
import type { Command, ForwardedRequest } from '../records/command.js';
import { stepsOfText } from '../work/task.js';
import type { Aspect } from './aspect.js';
import { type Bridge, bridgeOf } from './bridge.js';
import { invalidResponse, unexpected } from './error.js';
import { cameBack, forwardedHeaders } from './headers.js';

/** What is asked of a bridge, below its `/v2/{kind}s`. */
export interface Call {
  readonly method: OutboundCall['method'];
  /** `/<handle>`, `/<handle>/proofs`, or nothing. */
  readonly path: string;
  readonly body?: Json;
}

/** What is asked of a bridge for one request: to do it; and, where it refuses, whether it has done it before. */
export type Step = 'done' | 'found';

/**
 * A command, and what became of it outside. It is decided anew each time the ledger turns out to have changed, but each
 * step goes out once: what was answered to that counts for every later run.
 */
export interface Forwarding {
  readonly kind: Kind;
  readonly command: Command;
  readonly asked: Partial<Record<Step, { readonly bridge: string; readonly answer: Promise<OutboundAnswer> }>>;
  /** Until when its calls may take, together. */
  until?: number;
}

/** The path of a record at a bridge. What could not be its name is not sent there: `..` is none, and would lead elsewhere. */
export function pathOf(kind: Kind, id: string): string {
  const isHandle = id.length <= limits.handle && new RegExp(HANDLE_PATTERN).test(id);
  if (!isHandle && !isLuid(id, kind.prefix)) throw notFound(kind);
  return `/${id}`;
}

/**
 * Asks the bridge of an aspect, unless this request has asked it that before.
 *
 * @param call makes what is sent, when it is known to be sent
 * @param step which of the calls of a request it is
 * @throws `forward.unexpected-error` when there is no such bridge, or no answer; `forward.invalid-response` for an answer
 *   larger than any may be; OutOfDate when the ledger has changed, before anything is sent
 */
export async function askBridge(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  call: () => Call | Promise<Call>,
  step: Step = 'done',
): Promise<OutboundAnswer> {
  const { bridge: handle } = aspect;
  let asked = forwarding.asked[step];
  if (!asked) {
    if (cameBack(session.ledger, forwarding.command.request.headers)) {
      throw new LedgerError('forward.unexpected-error', `Forwarded by ledger '${session.ledger.handle}' before`);
    }
    const bridge = await bridgeOf(session, handle);
    asked = { bridge: handle, answer: send(session, bridge, forwarding, aspect, await call()) };
    forwarding.asked[step] = asked;
  }
  if (asked.bridge !== handle) {
    throw new LedgerError('forward.unexpected-error', 'Policies have changed while the request was forwarded');
  }
  const answer = await asked.answer;
  await session.task.turn(stepsOfText(answer.text));
  return answer;
}

async function send(
  session: Session,
  bridge: Bridge,
  forwarding: Forwarding,
  { domain }: Aspect,
  { method, path, body }: Call,
): Promise<OutboundAnswer> {
  const { kind, command } = forwarding;
  const now = performance.now();
  // What the bridge has done, the ledger has to keep.
  if (method !== 'GET') session.task.mustFinish();
  forwarding.until ??= now + session.requestTimeout * limits.outbound.share;
  try {
    return await session.outbound.send({
      ledger: session.ledger.id,
      method,
      url: urlOf(bridge.server, `/v2/${kind.path}${path}`),
      headers: forwardedHeaders(session, bridge, clientsHeaders(command.request, domain), body !== undefined),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      within: Math.max(1, Math.floor(forwarding.until - now)),
    });
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    throw error.kind === 'oversized' ? invalidResponse(bridge.handle) : unexpected(error);
  }
}

/**
 * The client's headers, without its token where a policy in a domain leads to the bridge: whoever made that has rights in
 * the domain only, and could do with the token what its bearer may do elsewhere.
 */
function clientsHeaders({ headers }: ForwardedRequest, domain: string | undefined): ForwardedRequest['headers'] {
  if (domain === undefined) return headers;
  const { authorization: _, ...others } = headers;
  return others;
}

/** `/v2` is added here, unlike in every other call of a bridge (contract 02 §4). */
function urlOf(server: string, path: string): string {
  const url = new URL(server);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  url.search = '';
  url.hash = '';
  return url.href;
}
