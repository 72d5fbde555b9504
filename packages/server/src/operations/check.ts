import { hash as hashOf, type Json, type JsonObject, LedgerError } from '@countersign/protocol';
import { grants } from '../access/check.js';
import { moment } from '../base/clock.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../ledgers/service.js';
import { stepsOfText } from '../work/task.js';
import { onCurrent } from '../ledgers/attempt.js';
import { checkBody } from './bodies.js';
import { writer } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { contextOf, subjectOf } from '../authorization/context.js';
import { type Item, newItem } from '../lists/items.js';
import { type Answer, authenticate, type Request, readBody } from './request.js';
import { hashedFor, signedBy } from './sent.js';
import { listText } from '../records/serve.js';
import { storedRecord } from '../records/stored.js';

/** Steps that it takes to hash and to sign an item. */
const ITEM = 1_000;

/**
 * `POST /{kind}s/{id}/access/!check` (contract 01 §11): the rules that grant the action to the signers of this
 * request, each as a signed item. No right on the record is needed. Too many are refused.
 */
export async function check(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const body = readBody(request);
  const token = await authenticate(service, ledger, request, body);
  const sent = checkBody(hashedFor(service, body, token));
  await service.task.turn();
  const { proofs } = signedBy(service, ledger, kind, sent, token);
  const action = String(sent.data.action);
  const narrowed = typeof sent.data.record === 'string' ? sent.data.record : undefined;
  return onCurrent(service, ledger, async (current) => {
    const { record, parent } = await storedRecord(service, current, kind, request);
    const caller = await writer(service, current, proofs.signed, token, false);
    const subject = subjectOf(kind, record, parent);
    const conditions = await conditionsOf(service, current, caller, subject);
    const context = contextOf(service, current, subject, conditions);
    const now = moment(service.nature);
    await service.task.turn();
    const items: Item[] = [];
    for (const rule of few(grants(action, narrowed, caller, context))) {
      await service.task.turn(ITEM);
      const ruleHash = hashOf(rule as Json, service.suite);
      const item = newItem({
        hash: ruleHash,
        data: rule,
        meta: { proofs: [current.system.fresh(ruleHash, { moment: now })], moment: now },
      } as unknown as Json);
      service.task.note(stepsOfText(item.text));
      items.push(item);
    }
    await service.task.turn();
    return { status: 200, body: listText(service, current, items) };
  });
}

/**
 * Each rule is signed by itself.
 *
 * @throws `record.invalid` for more rules than `limits.grants`, or for more bytes than a page of a list holds
 */
function few(rules: readonly JsonObject[]): readonly JsonObject[] {
  const { grants: most, answers } = limits;
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
