import { type Json, parseJson } from '@countersign/protocol';
import type { FastifyRequest } from 'fastify';
import { assertNotOwnToken } from '../auth/own-token.js';
import { type KeySource, type Token, verifyToken } from '../auth/token.js';
import { findTrustedFactor } from '../auth/trusted-factor.js';
import { isUsable } from '../auth/usable.js';
import { jsonLimits } from '../base/json-limits.js';
import { invitationIn } from '../ledgers/invitation.js';
import type { Ledger } from '../ledgers/ledger.js';
import { noteBody } from '../ledgers/request-facts.js';
import type { Service } from '../ledgers/service.js';
import { openSession, type Session } from '../ledgers/session.js';
import { readRecordText } from '../metering/task.js';
import type { Command, ForwardedRequest } from '../records/command.js';

/** The parts of a request that its answer follows from. */
export type Received = Pick<
  FastifyRequest,
  'id' | 'facts' | 'method' | 'url' | 'headers' | 'params' | 'body' | 'ip' | 'raw' | 'log' | 'routeOptions'
>;

/** The prefix of all paths except probes and metrics (interface/README#requests). */
export const BASE = '/v2';

/**
 * The request as operations take it: its body parsed, its token verified. `params.id` defaults to the luid of the
 * ledger. The body of a GET is ignored.
 *
 * @param base the prefix of the path, which the URL of the service ends in
 * @throws `api.body-malformed`, then `auth.unauthorized` (interface/records#order-of-checks)
 */
export async function makeCommand(
  service: Service,
  ledger: Ledger | undefined,
  request: Received,
  base = BASE,
): Promise<Command> {
  const sent = toRequest(request, base);
  await service.task.turn();
  const body = sent.method === 'GET' ? undefined : parseBody(sent);
  noteBody(request.facts, body);
  const mark = sent.url.indexOf('?');
  const path = mark < 0 ? sent.url : sent.url.slice(0, mark);
  const mayBeInvited = ledger === undefined && sent.method === 'POST' && path === '/ledgers';
  const invitation = mayBeInvited ? invitationIn(sent.headers.authorization) : undefined;
  const token = invitation === undefined ? await authenticate(service, ledger, sent, body) : undefined;
  const params = request.params as Record<string, string>;
  return {
    params: params.id === undefined && ledger ? { ...params, id: ledger.luid } : params,
    query: mark < 0 ? '' : sent.url.slice(mark + 1),
    body,
    token,
    invitation,
    request: sent,
  };
}

function toRequest({ id, method, url, headers, body }: Received, base: string): HttpRequest {
  // A proxy may send the whole URL where the path belongs (RFC 9112 §3.2.2).
  const below = url.replace(/^[a-z]+:\/\/[^/?]*/i, '').slice(base.length);
  return { id, method, url: below, headers, ...(typeof body === 'string' ? { text: body } : {}) };
}

/** A request as received, with its body. */
export interface HttpRequest extends ForwardedRequest {
  /** The raw body of a request in JSON; absent for every other request. */
  readonly text?: string;
}

/**
 * The body of a write as JSON.
 *
 * @throws `api.body-malformed` for malformed JSON, and for values that ledgers refuse
 *   (interface/records#request-bodies)
 */
export function parseBody(request: HttpRequest): Json | undefined {
  if (request.text === undefined || request.text === '') return undefined;
  return parseJson(request.text, { depth: jsonLimits.depth, values: jsonLimits.values });
}

/**
 * The caller's token, verified; undefined when the request lacks one.
 *
 * @throws `auth.unauthorized` for every fault of a token (interface/tokens#refused-tokens)
 */
export async function authenticate(
  service: Service,
  ledger: Ledger | undefined,
  request: HttpRequest,
  body: Json | undefined,
): Promise<Token | undefined> {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const { method, headers } = request;
  const token = await verifyToken(
    authorization,
    { method, url: service.publicUrl + request.url, aliases: aliasesOf(service, request), headers, body },
    ledger ? makeKeySource(openSession(service, ledger)) : NO_KEYS,
    service.runtime.now,
    service.replays,
    service.tokenMaxLife,
  );
  if (ledger) assertNotOwnToken(ledger, token);
  return token;
}

function aliasesOf({ publicAliases = [] }: Service, { url }: HttpRequest): readonly string[] {
  return publicAliases.map((base) => base + url);
}

/** Looks up the keys of tokens, in the ledger of the request only. */
function makeKeySource(session: Session): KeySource {
  const { ledger, store, task } = session;
  return {
    ledger: ledger.luid,
    audiences: audiencesOf(ledger),
    async signerKey(handle) {
      const found = await store.signers({ ledger: ledger.id, key: handle, by: 'handle' });
      const signer = found.body === undefined ? undefined : await readRecordText(task, found.body);
      return signer && isUsable(signer) ? String(signer.data.public) : undefined;
    },
    factor: (handle, issuer, subject) => findTrustedFactor(session, handle, issuer, subject),
  };
}

/** What a ledger stored under the name before it had a meaning may be anything: then any audience is taken. */
function audiencesOf({ config }: Ledger): readonly string[] | undefined {
  const audiences = config['token.audiences'];
  return Array.isArray(audiences) ? audiences.map(String) : undefined;
}

/** For requests outside every ledger: only keys that tokens themselves carry count. */
const NO_KEYS: KeySource = {
  ledger: '',
  signerKey: async () => undefined,
  factor: async () => undefined,
};
