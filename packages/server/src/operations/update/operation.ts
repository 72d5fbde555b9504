import { callerOfWrite } from '../../authorization/caller.js';
import { assertSignature } from '../../authorization/client-signature.js';
import { updateOf } from '../../events/occurrence.js';
import { raiseEvents } from '../../events/raise.js';
import type { Kind } from '../../kinds/kind.js';
import { notFound } from '../../kinds/refusal.js';
import type { DecidedWrite, Session } from '../../ledgers/session.js';
import type { Answer, Command } from '../../records/command.js';
import { findRecord } from '../../records/stored-record.js';
import { versionOf, withProofs } from '../../records/version.js';
import { hintOnPolicy } from '../hints/on-policy.js';
import { hintOnRules } from '../hints/on-rules.js';
import { hintWithin } from '../hints/within.js';
import type { Operation } from '../operation.js';
import { assertProofsUnused } from '../proof-use.js';
import { SIGNED } from '../refusals.js';
import type { Stages } from '../stage.js';
import { decideUpdate, proxyUpdate } from './decide.js';
import { handleTaken } from './rename.js';
import { verifyUpdate } from './verify.js';

/** `PUT /{kind}s/{id}`: replaces the whole of `data` (interface/records#update). */
export const updateRecord: Operation = {
  name: 'update',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('update'),
  routes: () => [{ method: 'PUT', of: 'record' }],
  perform: update,
  refusals: {
    always: [
      ...SIGNED,
      'record.not-found',
      'crypto.parent-hash-invalid',
      'record.relation-not-found',
      'record.update-rejected',
      'record.labels-policy-violation',
      'record.duplicated',
    ],
  },
  handed: 'update',
  description: {
    id: (one) => `update${one}`,
    summary: (one) => `Replace the data of ${one}`,
    body: ({ name }) => `${name}-update`,
    answers: ({ name }) => ({ 200: { text: 'The record.', component: name } }),
  },
};

/** @returns 200 with the record */
async function update(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const update = await verifyUpdate(session, kind, command);
  const { data, signed } = update;
  return stages(session, kind, command, async (session, stage) => {
    const stored = await findRecord(session, kind, command);
    const handover = stage.ofRecord(session, 'update', stored, data);
    if (handover?.proxied) return proxyUpdate(session, handover, update);
    if (!stored) throw notFound(kind);
    const caller = await callerOfWrite(session, signed.proofs.signed, signed.token);
    assertSignature(signed, caller);
    const decision = await decideUpdate(session, update, stored, caller, stage);
    const { luid } = stored.record;
    if (!decision) return { status: 200, body: stored.body, change: { luid, number: stored.change } };
    const { made, decided } = decision;
    await session.task.turn();
    const change = stored.change + 1;
    let record = made;
    let write: DecidedWrite = { ...versionOf(session.ledger, kind, made, change), ...decided };
    if (handover) {
      handover.assertOneWay();
      await assertProofsUnused(session, signed, made.luid);
      const added = await handover.takeVersion(session, { id: handover.id, data, signed, caller, record: made });
      record = withProofs(made, added, session.moment(made.meta));
      write = { ...write, ...versionOf(session.ledger, kind, record, change) };
    }
    const deliveries = await raiseEvents(session, updateOf({ kind, record, change }, stored.record));
    const told = hintWithin(
      () => hintOnRules(session.ledger, data, session.task) ?? hintOnPolicy(session, kind, record, caller),
    );
    if ((await session.commit({ ...write, deliveries })) !== 'done') throw handleTaken(kind, data);
    return { status: 200, body: write.body, change: { luid, number: change }, ...told };
  });
}
