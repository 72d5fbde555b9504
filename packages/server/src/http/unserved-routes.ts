import { LedgerError } from '@countersign/protocol';
import type { FastifyRequest } from 'fastify';
import { kindNamed } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import { addHash, bodyChecksOf } from '../operations/bodies.js';
import { makeCommand } from './command.js';

/**
 * Answers `DELETE /ledger`, which is switched off, as the reference service does: the body is checked first
 * (interface/README#not-served-yet).
 *
 * @throws `record.schema-invalid` for a body that is no drop, else `api.route-not-found`
 */
export async function ledgerIsKept(session: Session, request: FastifyRequest): Promise<never> {
  const { body, token } = await makeCommand(session, session.ledger, request);
  bodyChecksOf(kindNamed('ledger')).drop(addHash(session, body, token));
  throw new LedgerError('api.route-not-found', 'Route not found');
}
