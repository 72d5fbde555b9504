import type { Failure, Part, Plan } from '../model.js';

/** Why the ledger ends an intent that was resolved, as its `failed` proof says it (interface/intents#trails): a bridge has failed. */
export function prepareFailed({ bridge }: Part): Failure {
  return { reason: 'core.bridge-prepare-failed', detail: `Bridge(s) failed to process intent: ${bridge}` };
}

export function expired({ intent }: Plan): Failure {
  return { reason: 'core.intent-expired', detail: `Intent ${intent} expired` };
}

/** A signer has decided against an intent that was held. */
export function aborted({ intent }: Plan): Failure {
  return { reason: 'core.intent-aborted', detail: `Intent ${intent} aborted` };
}
