import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { AccessTokenRequest } from '../outbound/access-tokens.js';
import { type OutboundAnswer, type OutboundCall, OutboundFailure } from '../outbound/outbound.js';
import { UnusableKey } from '../untrusted-keys/unusable-key.js';
import type { Bridge } from './bridge.js';
import { applyRules, type Security, unusableRule } from './security.js';

/** A call of a bridge, without what its security rules add. */
export interface BridgeCall {
  readonly method: OutboundCall['method'];
  /** Appended to the path of `config.server`; begins with `/`. */
  readonly path: string;
  /** Names in lower case. Security rules take the place of any but `content-type` and `accept`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of further headers that rules `header` may not set, whether the call has them or not. */
  readonly own?: readonly string[];
  readonly body?: string;
  /** Milliseconds for all of it, tokens included. */
  readonly within: number;
  /** As for `OutboundCall`. */
  readonly ignoresBody?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Calls a bridge as its security rules say (interface/bridges#security-at-call-time). A bridge that answers 401 to an access
 * token has not acted, so the call is repeated once with a new one.
 *
 * No session or transaction may be open: it takes as long as the bridge does.
 *
 * @returns whatever was answered, redirects and errors included
 * @throws BridgeSecurityError for a rule that cannot be applied, before anything is sent; OutboundFailure when no answer
 *   came, `unauthorized` when no access token did; Overloaded
 */
export async function callBridge(
  service: Pick<Service, 'outbound' | 'accessTokens' | 'tracing'>,
  ledger: Pick<Ledger, 'id'>,
  bridge: Bridge,
  call: BridgeCall,
): Promise<OutboundAnswer> {
  const { tracing } = service;
  return tracing.call(
    'bridge call',
    async () => {
      const answer = await callTraced(service, ledger, bridge, call);
      tracing.note({ 'http.response.status_code': answer.status });
      return answer;
    },
    { 'http.request.method': call.method },
  );
}

async function callTraced(
  { outbound, accessTokens, tracing }: Pick<Service, 'outbound' | 'accessTokens' | 'tracing'>,
  { id: ledger }: Pick<Ledger, 'id'>,
  bridge: Bridge,
  call: BridgeCall,
): Promise<OutboundAnswer> {
  const { method, path, body, ignoresBody, signal } = call;
  const url = urlOf(bridge.server, path);
  const { headers, token: granted, certificate } = applyRules(bridge, call.own ?? []);
  verifyCertificate(outbound, ledger, bridge, certificate);
  const until = performance.now() + call.within;
  const left = () => Math.max(1, Math.floor(until - performance.now()));
  const send = (authorization: { authorization?: string }) =>
    outbound.send({
      ledger,
      method,
      url,
      headers: { ...call.headers, ...headers, ...authorization, ...tracing.headers() },
      body,
      certificate,
      ignoresBody,
      signal,
      within: left(),
    });
  if (!granted) return send({});
  const request = tokenRequest(ledger, bridge, granted);
  const token = await accessTokens.take(request, left());
  const answer = await send({ authorization: `Bearer ${token}` });
  if (answer.status !== 401) return answer;
  const renewed = await accessTokens.take(request, left(), token);
  return renewed === token ? answer : send({ authorization: `Bearer ${renewed}` });
}

function verifyCertificate(
  outbound: Service['outbound'],
  ledger: number,
  bridge: Bridge,
  certificate: Security['certificate'],
): void {
  if (!certificate) return;
  try {
    outbound.verifyCertificate(ledger, certificate);
  } catch (error) {
    if (error instanceof UnusableKey) throw unusableRule(bridge, certificate.index, error.message);
    throw error;
  }
}

/** An update of the bridge makes another purpose, so a token of before is not used with it. */
function tokenRequest(
  ledger: number,
  { luid, change }: Bridge,
  { rule, index }: NonNullable<Security['token']>,
): AccessTokenRequest {
  const { tokenUrl: url, clientId, clientSecret, scope } = rule;
  const purpose = `${luid}/${change}/${index}`;
  return { ledger, purpose, url, clientId, clientSecret, scope };
}

/**
 * The URL of a path below the server's. One that would lead elsewhere on the server, as `..` does, is not called: paths
 * hold names that clients choose.
 *
 * @throws OutboundFailure `impossible`
 */
function urlOf(server: string, path: string): string {
  const url = new URL(server);
  const whole = url.pathname.replace(/\/+$/, '') + path;
  url.pathname = whole;
  url.search = '';
  url.hash = '';
  // A URL takes `\` for `/`, and drops each `..` with the segment before it.
  if (path.includes('\\') || url.pathname.split('/').length !== whole.split('/').length) {
    throw new OutboundFailure('impossible', `The path leads out of ${url.host}`);
  }
  return url.href;
}
