import { encodeBase64, LedgerError } from '@countersign/protocol';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import { parseParameters } from '../../lists/query.js';
import type { Answer, Command } from '../../records/command.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { readableRecord } from '../readable-record.js';
import { currentWith } from './current-with.js';
import { answerSigned, describeSigned } from './signed-data.js';

/**
 * `GET /ledger/log/consistency?from=&to=` (interface/log#consistency): the proof that a tree of `to` leaves begins with
 * that of `from` leaves, for who may read the ledger's record. `to` is what is shown now, unless given.
 *
 * @throws `api.query-malformed` for numbers that no two trees of the log have; LogStopped
 */
async function readConsistency(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const parameters = new Map(parseParameters(command.query));
  const from = leavesIn(parameters, 'from');
  const to = leavesIn(parameters, 'to');
  if (from === undefined) throw queryError('from', 'is missing');
  return inSession(session, async (session) => {
    const { ledger, logs } = session;
    await readableRecord(session, kind, command, command.token);
    const shown = await currentWith(session, Math.max(from, to ?? 0));
    const size = to ?? shown?.size ?? 0;
    if (!shown || size > shown.size)
      throw queryError('to', `must be at most ${shown?.size ?? 0}, the leaves of the log`);
    if (from > size) throw queryError('from', `must be at most ${size}`);
    const hashes = await logs.consistency(ledger.id, from, size);
    return answerSigned(session, { origin: shown.origin, from, to: size, hashes: hashes.map(encodeBase64) });
  });
}

function leavesIn(parameters: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw queryError(name, 'must be an integer from 1 to 999999999999999');
  return Number(text);
}

function queryError(name: string, why: string): LedgerError {
  return new LedgerError('api.query-malformed', `${name} ${why}`);
}

const CONSISTENCY_ANSWER = describeSigned({
  origin: { type: 'string', description: 'The name of the log.' },
  from: { type: 'integer', minimum: 1, description: 'Leaves of the older tree.' },
  to: { type: 'integer', minimum: 1, description: 'Leaves of the newer tree.' },
  hashes: {
    type: 'array',
    items: { type: 'string' },
    description: 'Base64 of 32 bytes each, in the order of RFC 6962 §2.1.2.',
  },
});

/** The operation `consistency`. */
export const readLogConsistency: Operation = {
  name: 'consistency',
  isOf: ({ name }) => name === 'ledger',
  routes: () => [{ method: 'GET', of: 'record', path: '/log/consistency' }],
  perform: readConsistency,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  description: {
    id: (one) => `read${one}LogConsistency`,
    summary: () => 'Prove that the log of the ledger begins with an older one',
    parameters: ['trees'],
    components: { answers: { consistency: CONSISTENCY_ANSWER } },
    answers: () => ({ 200: { text: 'The proof, signed.', component: 'consistency' } }),
  },
};
