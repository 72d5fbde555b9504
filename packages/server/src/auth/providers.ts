import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';

/** Seconds a token lives when its policy does not say (contract 03 §3). */
const TTL = 3600;

/** A value of an authentication policy (contract 03 §8.6). */
export interface Provider {
  /** Handle of the signer that vouches for others. */
  readonly handle: string;
  /** `data.schema` of the signers it vouches for; absent when it vouches for all. */
  readonly target?: string;
  /** Seconds its tokens live. */
  readonly ttl: number;
}

/** The providers that authentication policies name, oldest policy first (contract 03 §3). Inactive policies do not. */
export function providersOf({ policies }: Ledger): Provider[] {
  return [...policies.values()].flatMap(({ schema, status, values }) => {
    if (schema !== 'authentication' || status === 'inactive') return [];
    return (values as unknown as readonly JsonObject[]).map(providerOf);
  });
}

/** What was stored with a policy was validated then: each value names its provider. */
function providerOf({ signer, target, config }: JsonObject): Provider {
  const schema = member(target, 'schema');
  const ttl = member(config, 'jwt.ttl');
  return {
    handle: String(member(signer, 'handle')),
    ...(typeof schema === 'string' ? { target: schema } : {}),
    ttl: typeof ttl === 'number' ? ttl : TTL,
  };
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}
