import { LedgerError } from '@countersign/protocol';
import type { FastifyRequest } from 'fastify';
import type { Ledger } from '../ledgers/ledger.js';
import type { HttpService } from './http-service.js';

/**
 * The ledger a request is for (interface/ledgers#choosing-a-ledger).
 *
 * @param named the `x-ledger` header or the handle in the path; a handle or a luid
 * @throws `api.route-not-found` for an unknown ledger, and for an unnamed one unless the deployment has a default
 */
export async function resolveLedger(service: HttpService, named: string | undefined): Promise<Ledger> {
  const id = named || service.defaultLedger;
  if (!id) {
    const hint = 'Send the header x-ledger with the handle or luid of the ledger.';
    throw new LedgerError('api.route-not-found', 'Active ledger is not set!', { hint });
  }
  if (id.length > MAX_NAME_CHARACTERS || id.includes('\u0000'))
    throw new LedgerError('api.route-not-found', 'Server does not host requested ledger');
  return service.ledgers.resolve(id);
}

/** Greatest length of a handle; longer names are refused before any query. */
const MAX_NAME_CHARACTERS = 255;

/** For routes outside every ledger. @throws `api.no-tenant-allowed` when the request names one */
export function noTenant(named: string | undefined): void {
  if (named === undefined) return;
  throw new LedgerError(
    'api.no-tenant-allowed',
    'This endpoint is not available on a ledger-scoped URL or with an X-Ledger header. Connect to the base server URL and retry.',
  );
}

/** The ledger that the path names, else the header. */
export function tenantOf(request: FastifyRequest): string | undefined {
  const params = request.params as { ledger?: string } | undefined;
  return params?.ledger ?? tenantHeader(request);
}

/** The value of `x-ledger`; of several the first. */
export function tenantHeader(request: FastifyRequest): string | undefined {
  const header = request.headers['x-ledger'];
  return Array.isArray(header) ? header[0] : header;
}
