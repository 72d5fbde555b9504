import { HANDLE_PATTERN, isLuid, type Json, LedgerError } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import { stepsOfText } from '../metering/task.js';
import { type OutboundAnswer, type OutboundCall, OutboundFailure } from '../outbound/outbound.js';
import type { Command, ForwardedRequest } from '../records/command.js';
import type { Aspect } from './aspect.js';
import { type Bridge, bridgeOf } from './bridge.js';
import { invalidResponse, unexpected } from './error.js';
import { cameBack, makeForwardHeaders } from './headers.js';

/** A call of a bridge, below its `/v2/{kind}s`. */
export interface Call {
  readonly method: OutboundCall['method'];
  /** `/<handle>`, `/<handle>/proofs`, or empty. */
  readonly path: string;
  readonly body?: Json;
}

/** The calls for one request: `done` does it; `found`, after a refusal, reads whether the bridge has it already. */
export type BridgeStep = 'done' | 'found';

/** A command, and the answers of bridges to it. */
export interface Forwarding {
  readonly kind: Kind;
  readonly command: Command;
  /** Each step is sent once; its outcome is reused each time the command is decided anew. */
  readonly asked: Partial<Record<BridgeStep, BridgeOutcome>>;
  /** Deadline of all its calls together, on the clock of `performance.now()`. */
  until?: number;
}

/** A step that was sent: its answer, or its failure. */
type BridgeOutcome = { readonly bridge: string } & (
  | { readonly answer: OutboundAnswer }
  | { readonly failure: LedgerError }
);

/** Ends a session whose decision depends on the answer of a bridge: the call is made outside of it. */
export class HandOver extends Error {
  /** Private, so that logged errors leave out the secrets in it. */
  readonly #call: Omit<OutboundCall, 'within'>;

  constructor(
    readonly step: BridgeStep,
    /** Handle of the bridge. */
    readonly bridge: string,
    call: Omit<OutboundCall, 'within'>,
  ) {
    super('A bridge is to be asked.');
    this.#call = call;
  }

  get call(): Omit<OutboundCall, 'within'> {
    return this.#call;
  }
}

/**
 * The path of a record at a bridge. Only handles and luids pass: `..` would lead elsewhere.
 *
 * @throws `record.not-found` for any other id
 */
export function pathOf(kind: Kind, id: string): string {
  const isHandle = id.length <= limits.handle && new RegExp(HANDLE_PATTERN).test(id);
  if (!isHandle && !isLuid(id, kind.prefix)) throw notFound(kind);
  return `/${id}`;
}

/**
 * The answer of an aspect's bridge to a step of the command.
 *
 * @param call makes the call, once it is certain to be sent
 * @param step which of the calls of a command it is
 * @throws HandOver when the step is still to be sent; OutOfDate when the ledger has changed, before anything is sent;
 *   `forward.unexpected-error` for an unknown bridge, a failed call, a request that came back to its ledger, and
 *   policies that changed meanwhile; `forward.invalid-response` for an answer over the size limit
 */
export async function askBridge(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  call: () => Call | Promise<Call>,
  step: BridgeStep = 'done',
): Promise<OutboundAnswer> {
  const { bridge: handle } = aspect;
  const asked = forwarding.asked[step];
  if (!asked) {
    if (cameBack(session.ledger, forwarding.command.request.headers)) {
      throw new LedgerError('forward.unexpected-error', `Forwarded by ledger '${session.ledger.handle}' before`);
    }
    const bridge = await bridgeOf(session, handle);
    throw new HandOver(step, handle, outboundCall(session, bridge, forwarding, aspect, await call()));
  }
  if (asked.bridge !== handle) {
    throw new LedgerError('forward.unexpected-error', 'Policies have changed while the request was forwarded');
  }
  if ('failure' in asked) throw asked.failure;
  await session.task.turn(stepsOfText(asked.answer.text));
  return asked.answer;
}

function outboundCall(
  session: Session,
  bridge: Bridge,
  { kind, command }: Forwarding,
  { domain }: Aspect,
  { method, path, body }: Call,
): Omit<OutboundCall, 'within'> {
  return {
    ledger: session.ledger.id,
    method,
    url: urlOf(bridge.server, `/v2/${kind.path}${path}`),
    headers: makeForwardHeaders(session, bridge, clientsHeaders(command.request, domain), body !== undefined),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Makes the call that a session has ended with, and keeps its outcome. */
export async function handOver(
  { task, outbound, requestTimeout }: Session,
  forwarding: Forwarding,
  { step, bridge, call }: HandOver,
): Promise<void> {
  const now = performance.now();
  // The ledger must store what the bridge does, even if the client is gone.
  if (call.method !== 'GET') task.mustFinish();
  forwarding.until ??= now + requestTimeout * limits.outbound.share;
  try {
    const answer = await outbound.send({ ...call, within: Math.max(1, Math.floor(forwarding.until - now)) });
    forwarding.asked[step] = { bridge, answer };
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    const failure = error.kind === 'oversized' ? invalidResponse(bridge) : unexpected(error);
    forwarding.asked[step] = { bridge, failure };
  }
}

/**
 * The client's headers. A policy in a domain gets them stripped of the client's token: its author has rights in the
 * domain only, and could use the token elsewhere.
 */
function clientsHeaders({ headers }: ForwardedRequest, domain: string | undefined): ForwardedRequest['headers'] {
  if (domain === undefined) return headers;
  const { authorization: _, ...others } = headers;
  return others;
}

/** The URL of a bridge with the path appended, cleared of query and fragment (interface/forwarding#calls). */
function urlOf(server: string, path: string): string {
  const url = new URL(server);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  url.search = '';
  url.hash = '';
  return url.href;
}
