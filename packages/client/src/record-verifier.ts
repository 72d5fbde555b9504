import { environmentOf } from './environment.js';
import { AnswerError } from './errors.js';
import { KINDS, type RecordName } from './generated/kinds.js';
import type { ConnectOptions } from './options.js';
import type { Signed } from './shape.js';
import { Trust } from './trust.js';
import { AnswerVerifier } from './verify.js';

/**
 * Verifies records of one ledger for a program that sends its requests itself.
 *
 * @returns a function that asks for a record by its handle or luid, verifies the answer as the client does, and gives it;
 *   it throws AnswerError, and what asking throws
 */
export function recordVerifier(
  options: Pick<ConnectOptions, 'systemKey' | 'onFirstUse' | 'bridgeKeys' | 'suite'>,
): (record: RecordName | undefined, id: string | undefined, ask: () => Promise<unknown>) => Promise<Signed> {
  const environment = environmentOf({ server: '', ...options });
  const verifier = new AnswerVerifier(new Trust(environment), environment);
  return async (record, id, ask) => {
    const isKnown = record !== undefined && Object.hasOwn(KINDS, record);
    const before = isKnown ? verifier.before(record, id) : undefined;
    const answer = await ask();
    if (!isKnown || before === undefined) throw new AnswerError('record', 'Nothing of a known kind is at this path');
    return verifier.record(answer, { record, id }, before);
  };
}
