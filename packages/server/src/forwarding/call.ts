import { isLuid, type Json, LedgerError } from '@countersign/protocol';
import { isHandle } from '../base/handle.js';
import { type Bridge, findBridge } from '../bridges/bridge.js';
import { type BridgeCall, callBridge } from '../bridges/call.js';
import { BridgeSecurityError } from '../bridges/security.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Session } from '../ledgers/session.js';
import { LedgerSuspended } from '../ledgers/suspension.js';
import { turnForText } from '../metering/task.js';
import type { AnswerFromBridge } from '../operations/stage.js';
import { type OutboundAnswer, OutboundFailure } from '../outbound/outbound.js';
import { outboundLimits } from '../outbound/outbound-limits.js';
import { cameBack } from '../outbound/via.js';
import { type Command, type ForwardedRequest, REQUEST_ID } from '../records/command.js';
import type { Aspect } from './aspect.js';
import { invalidResponse, makeUnexpected } from './error.js';
import { makeForwardHeaders, OWN } from './headers.js';

/** A call of a bridge, below its `/v2/{kind}s`. */
export interface ForwardedCall {
  readonly method: BridgeCall['method'];
  /** `/<handle>`, `/<handle>/proofs`, or nothing. */
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
  /** Once a write that only a bridge keeps was sent: what answers it, in place of another decision. */
  answer?: AnswerFromBridge;
}

/** A step that was sent: its answer, or its failure. */
type BridgeOutcome = { readonly bridge: string } & (
  | { readonly answer: OutboundAnswer }
  | { readonly failure: LedgerError }
);

/** Ends a session whose decision depends on the answer of a bridge: the call is made outside of it. */
export class HandoverToBridge extends Error {
  /** It holds tokens, which no log that shows errors may see. */
  readonly #call: Omit<BridgeCall, 'within'>;

  constructor(
    readonly step: BridgeStep,
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
 * The path of a record at a bridge. Only handles and luids pass: `..` would lead elsewhere.
 *
 * @throws `record.not-found` for any other id
 */
export function bridgePath(kind: Kind, id: string): string {
  if (!isHandle(id) && !isLuid(id, kind.prefix)) throw notFound(kind);
  return `/${id}`;
}

/**
 * The answer of an aspect's bridge to a step of the command.
 *
 * @param call makes the call, once it is certain to be sent
 * @param step which of the calls of a command it is
 * @throws HandoverToBridge when the step is still to be sent; OutOfDate when the ledger has changed, before anything is sent;
 *   `forward.unexpected-error` for an unknown bridge, a failed call, a request that came back to its ledger, and
 *   policies that changed meanwhile; `forward.invalid-response` for an answer over the size limit; `auth.forbidden` for a
 *   write where an operator has stopped those of the ledger
 */
export async function askBridge(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  call: () => ForwardedCall | Promise<ForwardedCall>,
  step: BridgeStep = 'done',
): Promise<OutboundAnswer> {
  const { bridge: handle } = aspect;
  const asked = forwarding.asked[step];
  if (!asked) {
    if (cameBack(session.ledger, forwarding.command.request.headers)) {
      throw new LedgerError('forward.unexpected-error', `Forwarded by ledger '${session.ledger.handle}' before`);
    }
    const bridge = await findBridge(session, handle);
    if (!bridge) {
      throw new LedgerError('forward.unexpected-error', `Forward bridge '${handle}' configured but not exists`);
    }
    const asks = await call();
    // The state is the one that the bridge was just found under.
    const { suspension } = session.ledger;
    if (asks.method !== 'GET' && !session.isForwarded) {
      if (suspension) throw new LedgerSuspended(suspension);
      session.store.assertWrites();
    }
    throw new HandoverToBridge(step, bridge, bridgeCall(session, bridge, forwarding, aspect, asks));
  }
  if (asked.bridge !== handle) {
    throw new LedgerError('forward.unexpected-error', 'Policies have changed while the request was forwarded');
  }
  if ('failure' in asked) throw asked.failure;
  await turnForText(session.task, asked.answer.text);
  return asked.answer;
}

/** `/v2` is added here, unlike in every other call of a bridge (interface/forwarding#calls). */
function bridgeCall(
  session: Session,
  bridge: Bridge,
  { kind, command }: Forwarding,
  { domain }: Aspect,
  { method, path, body }: ForwardedCall,
): Omit<BridgeCall, 'within'> {
  return {
    method,
    path: `/v2/${kind.path}${path}`,
    headers: makeForwardHeaders(
      session,
      bridge,
      clientsHeaders(command.request, domain),
      command.token,
      body !== undefined,
    ),
    own: OWN,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Makes the call that a session has ended with, and keeps its outcome. */
export async function handOver(
  session: Session,
  forwarding: Forwarding,
  { step, bridge: to, call }: HandoverToBridge,
): Promise<void> {
  const { task, requestTimeout } = session;
  const { handle: bridge } = to;
  const now = performance.now();
  if (isKeptHere(forwarding, call)) await session.store.quotas.admitCall(session.ledger.id, call.method === 'POST');
  // The ledger must store what the bridge does, even if the client is gone.
  if (call.method !== 'GET') task.mustFinish();
  // A read is judged before the call and after it. Each step is sent once, so this is bounded.
  task.beginAnew();
  forwarding.until ??= now + requestTimeout * outboundLimits.share;
  const within = Math.max(1, Math.floor(forwarding.until - now));
  try {
    const answer = await callBridge(session, session.ledger, to, { ...call, within });
    forwarding.asked[step] = { bridge, answer };
  } catch (error) {
    if (!(error instanceof OutboundFailure || error instanceof BridgeSecurityError)) throw error;
    const isOversized = error instanceof OutboundFailure && error.kind === 'oversized';
    forwarding.asked[step] = { bridge, failure: isOversized ? invalidResponse(bridge) : makeUnexpected(error) };
  }
}

/** Whether a call has the bridge store what takes room here, too. A drop may be stored whatever the room. */
function isKeptHere({ answer }: Forwarding, { method }: Pick<BridgeCall, 'method'>): boolean {
  return answer === undefined && method !== 'GET' && method !== 'DELETE';
}

/**
 * The client's headers, with the id of its request. A policy in a domain gets them stripped of the client's token: its author has rights in the
 * domain only, and could use the token elsewhere.
 */
function clientsHeaders({ headers, id }: ForwardedRequest, domain: string | undefined): ForwardedRequest['headers'] {
  const known = id === undefined ? headers : { ...headers, [REQUEST_ID]: id };
  if (domain === undefined) return known;
  const { authorization: _, ...others } = known;
  return others;
}
