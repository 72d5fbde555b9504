import { LedgerError } from '@countersign/protocol';
import type { FastifyRequest } from 'fastify';
import type { Ledger } from '../ledgers/ledger.js';
import type { HttpService } from './http-service.js';

/**
 * The ledger a request is for (interface/ledgers#choosing-a-ledger).
 *
 * @param named the `x-ledger` header or the handle in the path; a handle or a luid
 * @throws `api.route-not-found` when none is named or the named one is not here
 */
export async function ledgerOf(service: HttpService, named: string | undefined): Promise<Ledger> {
  const id = named || service.defaultLedger;
  if (!id) throw new LedgerError('api.route-not-found', 'Active ledger is not set!');
  if (id.length > MOST || id.includes('\u0000'))
    throw new LedgerError('api.route-not-found', 'Server does not host requested ledger');
  return service.ledgers.resolve(id);
}

/** No handle is longer; a longer header is not worth a query. */
const MOST = 255;

/** @throws `api.no-tenant-allowed` on a route outside every ledger, when one is named */
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
