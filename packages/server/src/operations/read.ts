import { authorize, readsEvery, toAccessRequest } from '../authorization/authorize.js';
import { callerOfRead } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { assertMayReveal, revealSecrets } from '../authorization/reveal.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Session } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { findRecord } from '../records/stored-record.js';
import { asksForSecrets } from './asks-for-secrets.js';
import { EVERY_OPERATION, type Operation } from './operation.js';
import type { Stages } from './stage.js';

/**
 * `GET /{kind}s/{id}` (interface/records#read): 200 with the record, byte for byte as the write was answered; or with
 * that of a bridge, where policies say so (interface/forwarding).
 */
// biome-ignore format: what each step refuses stands beside it
export async function answerRead(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const { token } = command;
  const reveals = asksForSecrets(kind, command);                                // api.query-malformed
  return stages(session, kind, command, async (session, stage) => {
    const stored = await findRecord(session, kind, command);
    const handover = stage.ofRecord(session, 'read', stored);
    if (handover && (handover.proxied || !stored)) return handover.answerRead(session, token);
    if (!stored) throw notFound(kind);                                          // record.not-found
    const caller = await callerOfRead(session, token);
    const everything = !reveals && !kind.links.under && (await readsEvery(session, kind, caller));
    const reading = everything ? undefined : toAccessRequest('read', kind, stored);
    if (reading) {
      const conditions = await conditionsOf(session, caller, reading.subject);
      await authorize(session, caller, { ...reading, conditions });             // auth.unauthorized, auth.forbidden
    }
    // The ledger answers by itself, after policies are checked for conflicts (interface/forwarding).
    handover?.assertOneWay();
    const answer = { status: 200, body: stored.body };
    if (!reading || !reveals) return answer;
    await assertMayReveal(session, kind, caller, reading.subject);              // auth.unauthorized, auth.forbidden
    return revealSecrets(session, kind, answer);
  });
}

/** The operation `read`. */
export const readRecord: Operation = {
  name: 'read',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('read'),
  routes: () => [{ method: 'GET', of: 'record' }],
  perform: answerRead,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'], nested: ['record.invalid'] },
  handover: 'read',
  description: {
    id: (one) => `read${one}`,
    summary: (one) => `Read ${one}`,
    parameters: ['include'],
    answers: ({ name }) => ({ 200: { text: 'The record.', component: name } }),
  },
};
