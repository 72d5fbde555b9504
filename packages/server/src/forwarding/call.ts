import { HANDLE_PATTERN, isLuid, type Json, LedgerError } from '@countersign/protocol';
import { type Bridge, loadBridge } from '../bridges/bridge.js';
import { type BridgeCall, callBridge } from '../bridges/call.js';
import { BridgeSecurityError } from '../bridges/security.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import { stepsOfText } from '../metering/task.js';
import { type OutboundAnswer, OutboundFailure } from '../outbound/outbound.js';
import type { Command, ForwardedRequest } from '../records/command.js';
import type { Aspect } from './aspect.js';
import { invalidResponse, unexpected } from './error.js';
import { cameBack, forwardedHeaders, OWN } from './headers.js';

/** What is asked of a bridge, below its `/v2/{kind}s`. */
export interface Call {
  readonly method: BridgeCall['method'];
  /** `/<handle>`, `/<handle>/proofs`, or nothing. */
  readonly path: string;
  readonly body?: Json;
}

/** What is asked of a bridge for one request: to do it; and, where it refuses, whether it has done it before. */
export type Step = 'done' | 'found';

/** A command, and what bridges have answered to it. */
export interface Forwarding {
  readonly kind: Kind;
  readonly command: Command;
  /** Each step goes out once: what became of it counts each time the command is decided from then on. */
  readonly asked: Partial<Record<Step, Asked>>;
  /** Until when its calls may take, together. */
  until?: number;
}

/** A step that has gone out: what was answered, or why there is no answer. */
type Asked = { readonly bridge: string } & ({ readonly answer: OutboundAnswer } | { readonly failure: LedgerError });

/** Ends a session whose decision rests on what a bridge answers: the call is made outside of it. */
export class HandOver extends Error {
  /** It holds tokens, which no log that shows errors may see. */
  readonly #call: Omit<BridgeCall, 'within'>;

  constructor(
    readonly step: Step,
    readonly bridge: Bridge,
    call: Omit<BridgeCall, 'within'>,
  ) {
    super('A bridge is to be asked.');
    this.#call = call;
  }

  get call(): Omit<BridgeCall, 'within'> {
    return this.#call;
  }
}

/**
 * The path of a record at a bridge. What could not be its name is not sent there: `..` is none, and would lead elsewhere.
 */
export function pathOf(kind: Kind, id: string): string {
  const isHandle = id.length <= limits.handle && new RegExp(HANDLE_PATTERN).test(id);
  if (!isHandle && !isLuid(id, kind.prefix)) throw notFound(kind);
  return `/${id}`;
}

/**
 * What the bridge of an aspect has answered to a step of the command.
 *
 * @param call makes what is sent, when it is known to be sent
 * @param step which of the calls of a command it is
 * @throws HandOver when the bridge has not been asked; OutOfDate when the ledger has changed, before anything is sent;
 *   `forward.unexpected-error` when there is no such bridge, or no answer; `forward.invalid-response` for an answer larger
 *   than any may be
 */
export async function askBridge(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  call: () => Call | Promise<Call>,
  step: Step = 'done',
): Promise<OutboundAnswer> {
  const { bridge: handle } = aspect;
  const asked = forwarding.asked[step];
  if (!asked) {
    if (cameBack(session.ledger, forwarding.command.request.headers)) {
      throw new LedgerError('forward.unexpected-error', `Forwarded by ledger '${session.ledger.handle}' before`);
    }
    const bridge = await loadBridge(session, handle);
    if (!bridge) {
      throw new LedgerError('forward.unexpected-error', `Forward bridge '${handle}' configured but not exists`);
    }
    throw new HandOver(step, bridge, bridgeCall(session, bridge, forwarding, aspect, await call()));
  }
  if (asked.bridge !== handle) {
    throw new LedgerError('forward.unexpected-error', 'Policies have changed while the request was forwarded');
  }
  if ('failure' in asked) throw asked.failure;
  await session.task.turn(stepsOfText(asked.answer.text));
  return asked.answer;
}

/** `/v2` is added here, unlike in every other call of a bridge (interface/forwarding#calls). */
function bridgeCall(
  session: Session,
  bridge: Bridge,
  { kind, command }: Forwarding,
  { domain }: Aspect,
  { method, path, body }: Call,
): Omit<BridgeCall, 'within'> {
  return {
    method,
    path: `/v2/${kind.path}${path}`,
    headers: forwardedHeaders(session, bridge, clientsHeaders(command.request, domain), body !== undefined),
    own: OWN,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Makes the call that a session has ended with, and keeps what became of it. */
export async function handOver(
  session: Session,
  forwarding: Forwarding,
  { step, bridge: to, call }: HandOver,
): Promise<void> {
  const { task, requestTimeout } = session;
  const { handle: bridge } = to;
  const now = performance.now();
  // What the bridge has done, the ledger has to keep.
  if (call.method !== 'GET') task.mustFinish();
  forwarding.until ??= now + requestTimeout * limits.outbound.share;
  const within = Math.max(1, Math.floor(forwarding.until - now));
  try {
    const answer = await callBridge(session, session.ledger, to, { ...call, within });
    forwarding.asked[step] = { bridge, answer };
  } catch (error) {
    if (!(error instanceof OutboundFailure || error instanceof BridgeSecurityError)) throw error;
    const isOversized = error instanceof OutboundFailure && error.kind === 'oversized';
    forwarding.asked[step] = { bridge, failure: isOversized ? invalidResponse(bridge) : unexpected(error) };
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
