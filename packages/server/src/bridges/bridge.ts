import { isObject, type Json, type JsonObject, type RecordEnvelope, readJson } from '@countersign/protocol';
import { secretValues } from '../auth/secret-values.js';
import { Secret } from '../base/secret.js';
import { secretNames } from '../kinds/data.js';
import type { Session } from '../ledgers/session.js';

/** A bridge as one version of its record describes it, with the values of its secrets. */
export interface Bridge {
  readonly handle: string;
  readonly luid: string;
  /** Number of the version. */
  readonly change: number;
  /** The domain it is in. */
  readonly domain?: string;
  /** `config.server`. */
  readonly server: string;
  /** Whether it gets the tokens of clients: `config["token.forward"]`. */
  readonly forwardsTokens: boolean;
  /** Absent where it has all. */
  readonly traits?: readonly Json[];
  /** Its security rules, in order. */
  readonly rules: readonly BridgeSecurityRule[];
}

/** A rule of `secure` (interface/bridges#security-rules). */
export type BridgeSecurityRule = HeaderRule | OAuth2Rule | MtlsRule | UnhandledRule;

/** Sends a header; `name` is in lower case. */
export interface HeaderRule {
  readonly schema: 'header';
  readonly name: string;
  readonly value: Secret;
}

/** Sends an access token that the endpoint issues. */
export interface OAuth2Rule {
  readonly schema: 'oauth2';
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly tokenUrl: string;
  readonly scope?: string;
}

/** Shows a client certificate. Both are PEM. */
export interface MtlsRule {
  readonly schema: 'mtls';
  readonly chain: string;
  readonly key: Secret;
}

/** Asks for what this server cannot do: no call is made. */
export interface UnhandledRule {
  readonly schema: 'unhandled';
  /** As the rule says. */
  readonly named: string;
}

/**
 * A bridge of the ledger, as it is now. The lookup also verifies that the session's state of the ledger is current.
 *
 * @returns undefined when the ledger has no bridge of that handle
 * @throws OutOfDate when the ledger has changed
 */
export async function findBridge(session: Session, handle: string): Promise<Bridge | undefined> {
  const found = await session.findVersion('bridge', handle, 'handle');
  if (!found) return undefined;
  const { luid, change, body } = found;
  const { data, meta } = readJson(body) as RecordEnvelope;
  const { server, 'token.forward': forwards } = data.config as { server: string; 'token.forward'?: boolean };
  return {
    handle,
    luid,
    change,
    server,
    forwardsTokens: forwards === true,
    rules: await securityRulesOf(session, luid, data),
    ...(meta.domain === undefined ? {} : { domain: String(meta.domain) }),
    ...(Array.isArray(data.traits) ? { traits: data.traits } : {}),
  };
}

async function securityRulesOf(session: Session, luid: string, { secure }: JsonObject): Promise<BridgeSecurityRule[]> {
  const rules = Array.isArray(secure) ? secure.filter(isObject) : [];
  if (rules.length === 0) return [];
  const values = secretValues(session, luid, await session.store.secrets({ ledger: session.ledger.id, luid }));
  const secretOf = (reference: Json | undefined) => {
    const value = values.get(secretNames([reference])[0] ?? '');
    if (value === undefined) throw new Error(`A secret of bridge ${luid} has no value.`);
    return new Secret(value);
  };
  return rules.map((rule) => ruleOf(rule, secretOf));
}

/** The shapes were validated when the record was stored; a schema does not say which of them a rule has. */
function ruleOf(rule: JsonObject, secretOf: (reference: Json | undefined) => Secret): BridgeSecurityRule {
  const { schema, key, value, clientId, clientSecret, tokenUrl, scope, public: chain, secret } = rule;
  if (schema === 'header' && typeof key === 'string') {
    return { schema, name: key.toLowerCase(), value: secretOf(value) };
  }
  if (schema === 'oauth2' && typeof clientId === 'string' && typeof tokenUrl === 'string') {
    const scoped = typeof scope === 'string' ? { scope } : {};
    return { schema, clientId, clientSecret: secretOf(clientSecret), tokenUrl, ...scoped };
  }
  if (schema === 'mtls' && typeof chain === 'string') return { schema, chain, key: secretOf(secret) };
  return { schema: 'unhandled', named: String(schema) };
}
