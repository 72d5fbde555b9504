import type { ClientCertificate } from '../outbound/client-certificate.js';
import type { Bridge, OAuth2Rule } from './bridge.js';
import { isReservedHeader } from './reserved-headers.js';

/** A security rule that cannot be applied, so that no call is made. The message names the rule, and no secret. */
export class BridgeSecurityError extends Error {
  override readonly name = 'BridgeSecurityError';
}

/** What the security rules of a bridge add to a call. */
export interface Security {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The rule whose token is sent as `authorization`. */
  readonly token?: { readonly rule: OAuth2Rule; readonly index: number };
  readonly certificate?: ClientCertificate & { readonly index: number };
}

/**
 * Applies the security rules in order: of several that set one header, or show a certificate, the last one counts
 * (interface/bridges#security-at-call-time). Tokens that would be overwritten are not asked for.
 *
 * @param own names of further headers that rules `header` may not set
 * @throws BridgeSecurityError for a rule of another schema, and for a certificate where the server is not https
 */
export function applyRules(bridge: Bridge, own: readonly string[]): Security {
  const headers = new Map<string, string>();
  let token: Security['token'];
  let certificate: Security['certificate'];
  for (const [index, rule] of bridge.rules.entries()) {
    switch (rule.schema) {
      case 'header':
        if (isReservedHeader(rule.name) || own.includes(rule.name)) break;
        headers.set(rule.name, rule.value.reveal());
        if (rule.name === 'authorization') token = undefined;
        break;
      case 'oauth2':
        headers.delete('authorization');
        token = { rule, index };
        break;
      case 'mtls':
        if (new URL(bridge.server).protocol !== 'https:') throw unusableRule(bridge, index, 'The server is not https');
        certificate = { chain: rule.chain, key: rule.key, index };
        break;
      case 'unhandled':
        throw new BridgeSecurityError(
          `No handler found for security rule schema '${rule.named}' in bridge '${bridge.handle}' (rule #${index + 1})`,
        );
    }
  }
  return { headers: Object.fromEntries(headers), ...(token && { token }), ...(certificate && { certificate }) };
}

/** Whether a rule of the bridge asks for an access token, even where a later rule overwrites `authorization`. */
export function hasAccessToken({ rules }: Bridge): boolean {
  return rules.some(({ schema }) => schema === 'oauth2');
}

/** Whether a rule of the bridge sets `authorization`, where rules may. */
export function setsAuthorization(bridge: Bridge): boolean {
  return (
    hasAccessToken(bridge) || bridge.rules.some((rule) => rule.schema === 'header' && rule.name === 'authorization')
  );
}

/** The refusal of a rule that cannot be used as it is. Rules are counted from 1. */
export function unusableRule({ handle }: Bridge, index: number, why: string): BridgeSecurityError {
  return new BridgeSecurityError(`Security rule #${index + 1} of bridge '${handle}' cannot be used: ${why}`);
}
