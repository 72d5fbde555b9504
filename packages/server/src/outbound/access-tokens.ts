import { isObject, type Json, readJson } from '@countersign/protocol';
import { defined } from '../base/defined.js';
import { LruCache } from '../base/lru-cache.js';
import type { Secret } from '../base/secret.js';
import { type Outbound, type OutboundAnswer, OutboundFailure } from './outbound.js';
import { accessTokenLimits, outboundLimits } from './outbound-limits.js';
import { boundConcurrency } from './under-way.js';

/** What an access token is asked for with: the client credentials grant of OAuth 2.0 (RFC 6749, section 4.4). */
export interface AccessTokenRequest {
  /** Id of the ledger whose calls it is for. */
  readonly ledger: number;
  /** What it is for within the ledger. Requests of the same purpose are the same in everything else. */
  readonly purpose: string;
  /** The token endpoint: http or https. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scope?: string;
}

/**
 * How a request for a token ended: `issued`; `refused` with a status other than 2xx; `invalid`, an answer without a token
 * that can be sent; `failed` without an answer.
 */
export type TokenOutcome = 'issued' | 'refused' | 'invalid' | 'failed';

/** The access tokens that this process calls other services with. */
export type AccessTokens = ReturnType<typeof createAccessTokens>;

interface CachedToken {
  readonly token: string;
  /** By the clock of the process. */
  readonly until: number;
}

interface AccessTokenOptions {
  readonly outbound: Pick<Outbound, 'send'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called once for each fetch, however many wait for its token. */
  readonly fetched: (outcome: TokenOutcome) => void;
  /** Callers that wait for a token: `outboundLimits.calls` unless given. */
  readonly calls?: { readonly process: number; readonly ledger: number };
}

/**
 * Fetches access tokens, and keeps each in an LRU cache for as long as its `expires_in` says, less a margin; for a minute
 * at least and a day at most.
 */
export function createAccessTokens({ outbound, now, fetched, calls = outboundLimits.calls }: AccessTokenOptions) {
  const tokens = accessTokenLimits;
  const cache = new LruCache<string, CachedToken>(tokens.together, ({ token }) => token.length + OVERHEAD);
  const underway = new Map<string, Promise<string>>();
  const waiting = boundConcurrency({ each: calls.ledger, all: calls.process });

  const fetchToken = async (key: string, request: AccessTokenRequest) => {
    const began = now();
    let outcome: TokenOutcome = 'failed';
    try {
      const answer = await outbound.send(tokenCall(request));
      outcome = 'refused';
      assertSuccess(request, answer);
      outcome = 'invalid';
      const { token, life } = tokenIn(request, answer);
      outcome = 'issued';
      cache.set(key, { token, until: began + life });
      return token;
    } catch (error) {
      // `oversized` is for answers of the service that is called.
      if (error instanceof OutboundFailure && error.kind === 'oversized') throw tokenUnusable(request);
      throw error;
    } finally {
      fetched(outcome);
    }
  };

  const begin = (key: string, request: AccessTokenRequest) => {
    const fetching = fetchToken(key, request).finally(() => underway.delete(key));
    underway.set(key, fetching);
    return fetching;
  };

  return {
    /**
     * A token: a cached one while it is good, else a new one, which all who wait for it share.
     *
     * @param within milliseconds to wait
     * @param refused a token that a service did not take; another one is returned, unless the endpoint issues it again
     * @throws OutboundFailure when there is none; Overloaded when too many callers wait for one
     */
    async take(request: AccessTokenRequest, within: number, refused?: string): Promise<string> {
      const key = `${request.ledger}/${request.purpose}`;
      const kept = cache.get(key);
      if (kept && kept.token !== refused && now() < kept.until) return kept.token;
      return waiting(request.ledger, () => tokenInTime(underway.get(key) ?? begin(key, request), within, request));
    },
  };
}

/** Characters that an entry takes beside its token. */
const OVERHEAD = 256;

/** Neither headers of the bridge's rules nor a client certificate go to the endpoint, which may be another's. */
function tokenCall({
  ledger,
  url,
  clientId,
  clientSecret,
  scope,
}: AccessTokenRequest): Parameters<Outbound['send']>[0] {
  const credentials = Buffer.from(`${clientId}:${clientSecret.reveal()}`).toString('base64');
  const form = new URLSearchParams(defined({ grant_type: 'client_credentials', scope }));
  return {
    ledger,
    method: 'POST',
    url,
    headers: {
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'accept-encoding': 'identity',
    },
    body: form.toString(),
    within: accessTokenLimits.within,
  };
}

function assertSuccess(request: AccessTokenRequest, { status }: OutboundAnswer): void {
  if (status >= 200 && status < 300) return;
  throw new OutboundFailure('unauthorized', `${hostOf(request)} answered ${status} to a request for a token`);
}

/** What can be sent as a header, and is nothing else: RFC 6750 has fewer characters still. */
const SENDABLE_TOKEN = /^[\x21-\x7e]+$/;

/** The token of an answer, and the milliseconds that it is kept. */
function tokenIn(request: AccessTokenRequest, { text }: OutboundAnswer): { token: string; life: number } {
  const { characters, answer, shortest, longest, margin } = accessTokenLimits;
  const body = Buffer.byteLength(text) > answer ? undefined : parseTokenAnswer(text);
  const { access_token: token, expires_in: seconds } = isObject(body) ? body : {};
  if (typeof token !== 'string' || token.length > characters || !SENDABLE_TOKEN.test(token))
    throw tokenUnusable(request);
  const life = Number(seconds) * 1_000 - margin;
  return { token, life: Number.isNaN(life) ? shortest : Math.min(Math.max(life, shortest), longest) };
}

function parseTokenAnswer(text: string): Json | undefined {
  try {
    return readJson(text) as Json;
  } catch {
    // The error quotes the text, and so a token.
    return undefined;
  }
}

function tokenUnusable(request: AccessTokenRequest): OutboundFailure {
  return new OutboundFailure('unauthorized', `${hostOf(request)} answered no token that can be sent`);
}

/** A failure when the token does not come in time. It may come later, for others. */
function tokenInTime(fetching: Promise<string>, within: number, request: AccessTokenRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = () => {
      const message = `${hostOf(request)} issued no token within ${within} ms`;
      reject(new OutboundFailure('late', message, 'ETIMEDOUT'));
    };
    const timer = setTimeout(late, within);
    fetching.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function hostOf({ url }: AccessTokenRequest): string {
  return new URL(url).host;
}
