import { hash as hashOf, type Json, type JsonObject, LedgerError } from '@countersign/protocol';
import { accessLimits } from '../access/access-limits.js';
import { type AskedCaller, askers, grants } from '../access/check.js';
import { rightFor } from '../authorization/authorize.js';
import { callerOfWrite } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { contextOf, subjectOf } from '../authorization/context.js';
import { moment } from '../base/clock.js';
import { type ListItem, newListItem } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { inSession } from '../ledgers/session.js';
import { listText } from '../lists/text.js';
import type { Answer, Command } from '../records/command.js';
import { getRecord, type StoredRecord } from '../records/stored-record.js';
import { queryLimits } from '../store/queries/query-limits.js';
import { addHash, checkBody, checkSchema } from './bodies.js';
import { type Operation, SIGNED } from './operation.js';
import { verifySignedBody } from './verify-signed-body.js';

/** The actions whose requests are judged by conditions of policy values; of others, values with `invoke` grant nothing. */
const CONDITIONED: readonly string[] = ['read', 'query', 'create', 'update', 'query-event', 'retry-event', 'activate'];

/**
 * `POST /{kind}s/{id}/access/!check` (interface/access#access-check): the rules that grant the action to the signers of
 * this request, each as a signed item. The signers may lack every right on the record.
 */
// biome-ignore format: what each step refuses stands beside it
export async function check(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const { body, token } = command;
  const sent = checkBody(addHash(session, body, token));                        // record.schema-invalid
  const { proofs } = await verifySignedBody(session, kind, sent, token);        // crypto.hash-invalid, crypto.signature-missing, crypto.signature-invalid, record.invalid
  const action = String(sent.data.action);
  const narrowed = typeof sent.data.record === 'string' ? sent.data.record : undefined;
  return inSession(session, async (session) => {
    const stored = await getRecord(session, kind, command);                     // record.not-found
    const signers = await callerOfWrite(session, proofs.signed, token, false);
    const { right, subject } = toAsked(kind, action, narrowed, stored);
    const now = moment(session.runtime);
    const isConditioned = CONDITIONED.includes(right.action) && right.record === subject.kind;
    const asked: AskedCaller[] = [];
    for (const caller of askers(right.action, signers)) {
      const conditions = isConditioned ? await conditionsOf(session, caller, subject) : undefined;
      asked.push({ caller, context: contextOf(session, subject, conditions) });
    }
    await session.task.turn();
    const items: ListItem[] = [];
    for (const rule of few(grants(right.action, right.record, asked))) {        // record.invalid
      await session.task.turn();
      const ruleHash = hashOf(rule as Json, session.suite);
      const item = newListItem({
        hash: ruleHash,
        data: rule,
        meta: { proofs: session.ledger.system.vouch(ruleHash, { moment: now }), moment: now },
      } as unknown as Json);
      items.push(item);
    }
    await session.task.turn();
    return { status: 200, body: listText(session, session.ledger, items) };
  });
}

/** What the request would be judged by: for some kinds, a right on the record it lies under (`rightsOnParent`). */
function toAsked(kind: Kind, action: string, record: string | undefined, { record: own, parent }: StoredRecord) {
  const subject = subjectOf(kind, own, parent);
  if (record !== undefined && record !== kind.name) return { right: { action, record }, subject };
  const { subject: judged, ...right } = rightFor({ action, kind, subject, parent });
  return { right, subject: judged };
}

/**
 * Bounds the rules, since each is signed by itself.
 *
 * @throws `record.invalid` for more rules than `accessLimits.grants`, or for more bytes than a page of a list holds
 */
function few(rules: readonly JsonObject[]): readonly JsonObject[] {
  const { grants: most } = accessLimits;
  const { answers } = queryLimits;
  if (rules.length > most) throw new LedgerError('record.invalid', `More than ${most} rules grant this`);
  let bytes = 0;
  for (const rule of rules) {
    bytes += Buffer.byteLength(JSON.stringify(rule));
    if (bytes > answers.page) {
      throw new LedgerError('record.invalid', `The rules that grant this hold more than ${answers.page} bytes`);
    }
  }
  return rules;
}

/** The operation `check`. */
export const checkAccess: Operation = {
  name: 'check',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('check'),
  routes: () => [{ method: 'POST', of: 'record', path: '/access/!check' }],
  perform: check,
  refusals: { always: [...SIGNED, 'record.not-found'] },
  description: {
    id: (one) => `check${one}Access`,
    summary: (one) => `List the rules of ${one} that grant the signers an action`,
    body: () => 'check',
    components: { requests: { check: checkSchema } },
    answers: () => ({ 200: { text: 'The rules that grant it, each signed.', component: 'granted-rules' } }),
  },
};
