import { encodeBase64 } from '@countersign/protocol';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import { LogStopped, type ShownCheckpoint } from '../../log/publish.js';
import type { Answer, Command } from '../../records/command.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { readableRecord } from '../readable-record.js';
import { answerSigned, describeSigned } from './signed-data.js';

/**
 * `GET /ledger/log` (interface/log#state): how far the log is, for who may read the ledger's record. A log that is
 * stopped shows nothing but that.
 */
async function answerState(session: Session, kind: Kind, command: Command): Promise<Answer> {
  return inSession(session, async (session) => {
    const { ledger, logs } = session;
    await readableRecord(session, kind, command, command.token);
    const { size, sealed, count, age, isBehind } = await logs.state(ledger.id);
    const [shown, stopped] = await findShown(session, size);
    return answerSigned(session, {
      origin: shown?.origin ?? null,
      generation: shown?.generation ?? null,
      size: shown?.size ?? 0,
      root: shown ? encodeBase64(shown.root) : null,
      checkpoint: shown?.note ?? null,
      sealed: sealed?.toISOString() ?? null,
      unsealed: { count, age: Math.round(age), before: isBehind },
      stopped,
    });
  });
}

/** What is shown of the log; or why it is stopped. */
async function findShown(
  { ledger, logs }: Session,
  size: number,
): Promise<[ShownCheckpoint | undefined, string | null]> {
  try {
    return [await logs.current(ledger.id, size), null];
  } catch (error) {
    if (error instanceof LogStopped) return [undefined, error.message];
    throw error;
  }
}

const countType = { type: 'integer', minimum: 0 };
const describeTextOrNull = (description: string) => ({ type: ['string', 'null'], description });

const STATE_ANSWER = describeSigned({
  origin: describeTextOrNull('The name of the log.'),
  generation: { type: ['integer', 'null'], minimum: 1, description: 'Rises when an operator begins a new tree.' },
  size: { ...countType, description: 'Leaves of the tree.' },
  root: describeTextOrNull('Base64 of 32 bytes.'),
  checkpoint: describeTextOrNull('The signed note.'),
  sealed: describeTextOrNull('When leaves were last added.'),
  unsealed: {
    type: 'object',
    required: ['count', 'age', 'before'],
    properties: {
      count: { ...countType, description: 'Changes that wait, of the oldest 512 commits.' },
      age: { ...countType, description: 'Milliseconds since the oldest of them was stored.' },
      before: { type: 'boolean', description: 'Whether changes of before the log are still to be added.' },
    },
  },
  stopped: describeTextOrNull('Why the log is stopped; null while all is well.'),
});

/** The operation `log`. */
export const readLog: Operation = {
  name: 'log',
  isOf: ({ name }) => name === 'ledger',
  routes: () => [{ method: 'GET', of: 'record', path: '/log' }],
  perform: answerState,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  description: {
    id: (one) => `read${one}Log`,
    summary: (one) => `Read how far the log of ${one} is`,
    components: { answers: { log: STATE_ANSWER } },
    answers: () => ({ 200: { text: 'The state of the log, signed.', component: 'log' } }),
  },
};
