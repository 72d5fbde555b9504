import { Overloaded } from '../base/gather.js';
import { callBridge } from '../bridges/call.js';
import { BridgeSecurityError } from '../bridges/security.js';
import { allowsMethod } from '../bridges/traits.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Cost } from '../metering/cost.js';
import type { DueDelivery } from '../store/outbox/deliveries.js';
import type { DeliveryDeps } from './engine.js';
import { callOfDelivery, type Message } from './message.js';
import { outcomeOfError, outcomeOfMissingBridge, outcomeOfStatus } from './outcome.js';
import { DELIVERY_HEADERS, findReachableBridge, type Send } from './receiver.js';

/**
 * Opens the way to the bridge of a call for an intent (interface/bridges#calls). Whether it is asked to prepare was decided
 * with the intent; whether it is told of statuses, its traits say now.
 *
 * @returns undefined for a bridge that is not told of statuses
 */
export async function openCall(
  engine: DeliveryDeps,
  ledger: Ledger,
  delivery: DueDelivery,
  { data }: Message,
  cost: Cost,
): Promise<Send | undefined> {
  const { service, bounds } = engine;
  const handle = delivery.bridge!;
  const { method, path } = callOfDelivery(delivery)!;
  const bridge = await findReachableBridge(engine, ledger, handle, undefined);
  if (!bridge) return async () => outcomeOfMissingBridge(handle);
  if (delivery.purpose === 'status' && !allowsMethod(cost, bridge, 'statuses', data)) return undefined;
  return async (body, signal) => {
    try {
      const call = { method, path, headers: DELIVERY_HEADERS, body, within: bounds.call, signal };
      const { status, text } = await callBridge(service, ledger, bridge, call);
      return outcomeOfStatus(status, text);
    } catch (error) {
      if (error instanceof Overloaded) throw error;
      const outcome = outcomeOfError(error, bridge.server);
      // The rule that cannot be applied is the ledger's own to tell of; it names no secret.
      return error instanceof BridgeSecurityError ? { ...outcome, note: error.message } : outcome;
    }
  };
}
