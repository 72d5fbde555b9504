import type { IncomingHttpHeaders } from 'node:http';
import { type Json, LedgerError, parseJson, type RecordEnvelope } from '@countersign/protocol';
import { invalidToken, type KeySource, type Token, verifyToken } from '../auth/token.js';
import { trustedFactor } from '../auth/trusted-factor.js';
import { isUsable } from '../auth/usable.js';
import { isOwn, type Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../ledgers/service.js';
import { stepsOfText } from '../work/task.js';

/** A request as it came. Nothing reads the connection again after this is made. */
export interface Request {
  readonly method: string;
  /** Path and query below the base path, exactly as sent: `/wallets?data.handle=w`. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body; absent when there was none or its type is not JSON. */
  readonly text?: string;
  /** Decoded path parameters: `id`, `parent` (of a nested record), `change`. */
  readonly params: Readonly<Record<string, string>>;
  /** The query as sent, without `?`. */
  readonly query: string;
}

export interface Answer {
  readonly status: number;
  /** JSON text; absent for an empty answer. */
  readonly body?: string;
  /** Seconds after which it is worth trying again. */
  readonly retryAfter?: number;
  /** It holds secrets: nobody on its way may keep it. */
  readonly confidential?: boolean;
}

/**
 * The body of a write as JSON.
 *
 * @throws `api.body-malformed` for text that is no JSON or holds what no ledger keeps (contract 01 §12, Edges)
 */
export function readBody(request: Request): Json | undefined {
  if (request.text === undefined || request.text === '') return undefined;
  return parseJson(request.text, { depth: limits.depth, values: limits.values });
}

/**
 * The caller's token, verified, or nothing when the request carries none.
 *
 * @throws `auth.unauthorized` for a bad token, whatever is wrong with it (contract 03 §4.1)
 */
export async function authenticate(
  service: Service,
  ledger: Ledger | undefined,
  request: Request,
  body: Json | undefined,
): Promise<Token | undefined> {
  await service.task.turn();
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const { method, headers } = request;
  const token = await verifyToken(
    authorization,
    { method, url: service.publicUrl + request.url, aliases: aliasesOf(service, request), headers, body },
    keysOf(service, ledger),
    service.nature.now,
    service.replays,
  );
  // The ledger signs tokens for its bridges alone. One that comes back was kept by a bridge, which is not the ledger.
  if (ledger && token.key !== undefined && isOwn(ledger, token.key)) throw invalidToken('key-of-the-ledger');
  return token;
}

function aliasesOf({ publicAliases = [] }: Service, { url }: Request): readonly string[] {
  return publicAliases.map((base) => base + url);
}

/** Where the keys of tokens are looked up: in the ledger of the request, never in another. */
function keysOf(service: Service, ledger: Ledger | undefined): KeySource {
  return {
    ledger: ledger?.luid ?? '',
    async signerKey(handle) {
      const found = ledger && (await service.store.signers({ ledger: ledger.id, key: handle, by: 'handle' }));
      await service.task.turn(stepsOfText(found?.body));
      const signer = found?.body === undefined ? undefined : (JSON.parse(found.body) as RecordEnvelope);
      return signer && isUsable(signer) ? String(signer.data.public) : undefined;
    },
    factor: async (handle, issuer, subject) => ledger && trustedFactor(service, ledger, handle, issuer, subject),
  };
}

/**
 * A path segment that must name a change.
 *
 * @throws `record.schema-invalid` when it is no integer of at least 1 (contract 01 §9)
 */
export function changeNumber(text: string): number {
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  if (number === undefined) {
    throw new LedgerError(
      'record.schema-invalid',
      'Schema validation error: request/params/change must be integer >= 1',
      {
        errors: [NO_CHANGE],
      },
    );
  }
  return number;
}

const NO_CHANGE = {
  instancePath: '/change',
  schemaPath: '#/properties/change/minimum',
  keyword: 'minimum',
  params: { comparison: '>=', limit: 1 },
  message: 'must be integer >= 1',
  path: '/params/change',
  errorCode: 'minimum.openapi.validation',
};
