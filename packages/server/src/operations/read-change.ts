import { LedgerError } from '@countersign/protocol';
import { prefers } from '../base/accept.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { inSession } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { snapshot } from '../records/version.js';
import { changeNumber } from './change-number.js';
import { EVERY_OPERATION, type Operation } from './operation.js';
import { readableRecord, toVersioned } from './readable-record.js';

/**
 * `GET /{kind}s/{id}/changes/{change}` (interface/records#history): one snapshot; or, to who asks for text, the record as it
 * was served then, to the byte, as the log has it (interface/log#the-leaf).
 */
export async function readChange(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const { token } = command;
  const number = changeNumber(command.params.change ?? '');
  const isText = prefers(command.request.headers.accept, 'text/plain', 'application/json');
  return inSession(session, async (session) => {
    const { record, erasedBy } = await readableRecord(session, kind, command, token);
    if (erasedBy !== undefined && number < erasedBy) throw new LedgerError('record.not-found', 'Change erased');
    const change = await session.findChange(toVersioned(session.ledger, kind, record), number);
    if (!change) throw new LedgerError('record.not-found', kind.missingChange ?? 'Change not found');
    if (isText) return { status: 200, body: change.body, type: 'text/plain; charset=utf-8' };
    return { status: 200, body: JSON.stringify(snapshot(kind, change)) };
  });
}

/** The operation `change`. */
export const readRecordChange: Operation = {
  name: 'change',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('changes'),
  routes: () => [{ method: 'GET', of: 'record', path: '/changes/:change' }],
  perform: readChange,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found', 'record.schema-invalid'], nested: ['record.invalid'] },
  description: {
    id: (one) => `read${one}Change`,
    summary: (one) => `Read one version of ${one}`,
    answers: ({ name }) => ({ 200: { text: 'The change.', component: `${name}-change` } }),
  },
};
