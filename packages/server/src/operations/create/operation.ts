import { callerOfWrite } from '../../authorization/caller.js';
import { assertSignature } from '../../authorization/client-signature.js';
import { revealSecrets } from '../../authorization/reveal.js';
import { creationOf } from '../../events/occurrence.js';
import { raiseEvents } from '../../events/raise.js';
import type { Kind } from '../../kinds/kind.js';
import { type DecidedWrite, proofReused, type Session } from '../../ledgers/session.js';
import type { Answer, Command } from '../../records/command.js';
import { versionOf, withProofs } from '../../records/version.js';
import type { Write } from '../../store/committer/write.js';
import { hintOnRules } from '../hints/on-rules.js';
import { hintWithin } from '../hints/within.js';
import type { Operation } from '../operation.js';
import { assertProofsUnused } from '../proof-use.js';
import { SIGNED } from '../refusals.js';
import type { Stages } from '../stage.js';
import { decideCreate } from './decide.js';
import { answerTaken, isTaken } from './existing-record.js';
import { verifyCreate } from './verify.js';

/** `POST /{kind}s` (interface/records#create). */
export const createRecord: Operation = {
  name: 'create',
  isOf: ({ only, lifecycle }) => only === undefined && lifecycle.operations.includes('create'),
  routes: () => [{ method: 'POST', of: 'records' }],
  perform: answerCreate,
  refusals: {
    always: [
      ...SIGNED,
      'record.relation-not-found',
      'record.status-policy-violation',
      'record.labels-policy-violation',
      'record.duplicated',
    ],
    nested: ['record.not-found'],
  },
  handed: 'create',
  description: {
    id: (one) => `create${one}`,
    summary: (one) => `Create ${one}`,
    body: ({ name }) => `${name}-create`,
    parameters: ['include'],
    answers({ name, trail }) {
      const status = trail.answer ?? 201;
      const repeated = { text: 'The record as it is: the same signed body was stored before.', component: name };
      const created = { text: 'The record, countersigned.', component: name };
      return status === 200 ? { 200: created } : { 200: repeated, [status]: created };
    },
  },
};

/**
 * @returns 201 (circle signers: 200) with the record, countersigned; 200 when the same signed body was stored before
 *   (interface/records#sending-a-request-again)
 */
async function answerCreate(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const creation = await verifyCreate(session, kind, command);
  const { data, signed, reveals } = creation;
  return stages(session, kind, command, async (session, stage) => {
    // A create that only a service outside keeps ends before a commit.
    const commits = !stage.isHanded(session, 'create');
    const caller = await callerOfWrite(session, signed.proofs.signed, signed.token, commits);
    assertSignature(signed, caller);
    const { subject, parent, made, decided } = await decideCreate(session, creation, caller, stage);
    const taken = () => answerTaken(session, creation, caller, made, parent);
    const handover = stage.ofNew(session, subject);
    await session.task.turn();
    let record = made;
    let write: DecidedWrite = { ...versionOf(session.ledger, kind, made, 1), ...decided };
    if (handover) {
      if (await isTaken(session, kind, made)) return taken();
      await assertProofsUnused(session, signed, made.luid);
      const asked = { data, signed, caller, record: made };
      if (handover.proxied) return handover.answerVersion(session, asked);
      const added = await handover.takeVersion(session, asked);
      record = withProofs(made, added, session.moment(made.meta));
      write = { ...write, ...versionOf(session.ledger, kind, record, 1) };
    }
    const deliveries = await raiseEvents(session, creationOf({ kind, record, change: 1 }));
    // An intent is stored together with what follows from it at once.
    const settle = kind.lifecycle.isProcessed
      ? (full: Write) => session.settle({ session, record, write: full, isForwarded: handover !== undefined })
      : undefined;
    const told = hintWithin(() => hintOnRules(session.ledger, data, session.task));
    // Settling codes the first version with those that follow.
    const stored = await session.commit({ ...write, deliveries }, settle, settle === undefined);
    // A repeated create has a new luid; its key is taken by the record that it made.
    if (stored === 'reused' && !(await isTaken(session, kind, made))) throw proofReused();
    if (stored !== 'done') return taken();
    const change = { luid: write.luid, number: write.change };
    const answer = { status: kind.trail.answer ?? 201, body: write.body, change, ...told };
    return reveals ? revealSecrets(session, kind, answer, write.secrets) : answer;
  });
}
