import { hash as hashOf, type Json, LedgerError } from '@countersign/protocol';
import { moment } from '../clock.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Answer } from '../records/request.js';
import type { Service } from '../service.js';

/** Takes note of what no request should have been able to cause. */
export type Report = (error: unknown) => void;

/**
 * Runs an operation and turns whatever it throws into the signed error answer of contract 01 §12: the one place where
 * errors become answers.
 *
 * @param resolve finds the ledger of the request, or nothing for operations outside every ledger
 * @param report called with what is not a `LedgerError`; the answer says nothing of it
 */
export async function answered(
  service: Service,
  resolve: () => Promise<Ledger | undefined>,
  perform: (ledger: Ledger | undefined) => Promise<Answer>,
  report: Report,
): Promise<Answer> {
  let ledger: Ledger | undefined;
  try {
    ledger = await resolve();
    return await perform(ledger);
  } catch (error) {
    if (error instanceof LedgerError) return errorAnswer(service, ledger, error);
    report(error);
    return errorAnswer(service, ledger, new LedgerError('api.unexpected-error', 'Unexpected server error'));
  }
}

/**
 * A signed error (contract 01 §12).
 *
 * @param ledger absent while none is resolved: the error then carries no proof
 */
export function errorAnswer(service: Service, ledger: Ledger | undefined, error: LedgerError): Answer {
  const { reason, detail, custom, status } = error;
  const data = { reason, detail, ...(custom === undefined ? {} : { custom }) };
  const hash = hashOf(data as Json, service.suite);
  const now = moment(service.nature);
  const proofs = ledger ? [ledger.system.fresh(hash, { moment: now })] : [];
  return { status, body: JSON.stringify({ hash, data, meta: { proofs, moment: now } }) };
}
