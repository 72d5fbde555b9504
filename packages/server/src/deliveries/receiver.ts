import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { Overloaded } from '../base/gather.js';
import { type Bridge, findBridge } from '../bridges/bridge.js';
import { callBridge } from '../bridges/call.js';
import { allowsMethod } from '../bridges/traits.js';
import { mayUseBridge } from '../events/bridge-border.js';
import type { Ledger } from '../ledgers/ledger.js';
import { inSession, openOwnSession } from '../ledgers/session.js';
import type { Cost } from '../metering/cost.js';
import type { OutboundAnswer } from '../outbound/outbound.js';
import type { DeliveryDeps } from './engine.js';
import { type AttemptOutcome, outcomeOfError, outcomeOfMissingBridge, outcomeOfStatus } from './outcome.js';

/** Sends a body to its receiver, and tells what became of it. @throws Overloaded */
export type Send = (body: string, signal: AbortSignal) => Promise<AttemptOutcome>;

/** Headers of every delivery (interface/effects#deliveries). */
export const DELIVERY_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/plain, */*' };

/**
 * Opens the way to the receiver that a version of an effect names.
 *
 * @param data of the event, which traits of a bridge may filter
 * @returns undefined for a bridge that takes no such events: it is not called, and there is no delivery
 */
export async function openReceiver(
  engine: DeliveryDeps,
  ledger: Ledger,
  effect: RecordEnvelope,
  data: JsonObject,
  cost: Cost,
): Promise<Send | undefined> {
  const action = effect.data.action as { readonly bridge: string } | { readonly endpoint: string };
  if ('endpoint' in action) return openWebhook(engine, ledger, action.endpoint, String(data.handle));
  const bridge = await findReachableBridge(engine, ledger, action.bridge, effect.meta.domain);
  if (!bridge) return async () => outcomeOfMissingBridge(action.bridge);
  if (!allowsMethod(cost, bridge, 'effects', data)) return undefined;
  return openBridge(engine, ledger, bridge, String(effect.data.handle));
}

function openWebhook({ service, bounds }: DeliveryDeps, ledger: Ledger, url: string, event: string): Send {
  return sendTo(url, (body, signal) => {
    const attempted = new Date(service.runtime.now());
    return service.outbound.send({
      ledger: ledger.id,
      method: 'POST',
      url,
      headers: {
        ...DELIVERY_HEADERS,
        ...ledger.system.webhook(event, attempted, body),
        ...service.tracing.headers(),
      },
      body,
      within: bounds.attempt,
      ignoresBody: true,
      signal,
    });
  });
}

/** The bridge as it is now, which may be another than when the event was raised. */
export async function findReachableBridge(
  { service }: DeliveryDeps,
  ledger: Ledger,
  handle: string,
  domain: string | undefined,
): Promise<Bridge | undefined> {
  return inSession(openOwnSession(service, ledger), async (session) => {
    const bridge = await findBridge(session, handle);
    return bridge && mayUseBridge(session.ledger, domain, bridge.domain) ? bridge : undefined;
  });
}

function openBridge({ service, bounds }: DeliveryDeps, ledger: Ledger, bridge: Bridge, effect: string): Send {
  return sendTo(bridge.server, (body, signal) =>
    callBridge(service, ledger, bridge, {
      method: 'POST',
      path: `/effects/${effect}`,
      headers: DELIVERY_HEADERS,
      body,
      within: bounds.attempt,
      ignoresBody: true,
      signal,
    }),
  );
}

/** @param url of the receiver, whose host proofs of a failure name */
function sendTo(url: string, call: (body: string, signal: AbortSignal) => Promise<OutboundAnswer>): Send {
  return async (body, signal) => {
    try {
      const { status } = await call(body, signal);
      return outcomeOfStatus(status);
    } catch (error) {
      if (error instanceof Overloaded) throw error;
      return outcomeOfError(error, url);
    }
  };
}
