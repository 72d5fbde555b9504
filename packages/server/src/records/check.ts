import { hash as hashOf, type Json } from '@countersign/protocol';
import { grants } from '../access/check.js';
import { moment } from '../clock.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import { onCurrent } from './attempt.js';
import { checkBody } from './bodies.js';
import { writer } from './caller.js';
import { conditionsOf } from './conditions.js';
import { contextOf, subjectOf } from './context.js';
import { newItem } from './items.js';
import { type Answer, authenticate, type Request, readBody } from './request.js';
import { hashedFor, signedBy } from './sent.js';
import { listText } from './serve.js';
import { storedRecord } from './stored.js';

/**
 * `POST /{kind}s/{id}/access/!check` (contract 01 §11): the rules that grant the action to the signers of this
 * request, each as a signed item. No right on the record is needed.
 */
export async function check(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const body = readBody(request);
  const token = await authenticate(service, ledger, request, body);
  const sent = checkBody(hashedFor(service, body, token));
  const { proofs } = signedBy(service, ledger, sent, token);
  const action = String(sent.data.action);
  const narrowed = typeof sent.data.record === 'string' ? sent.data.record : undefined;
  return onCurrent(service, ledger, async (current) => {
    const { record, parent } = await storedRecord(service, current, kind, request);
    const caller = await writer(service, current, proofs.signed, token, false);
    const subject = subjectOf(kind, record, parent);
    const conditions = await conditionsOf(service, current, caller, subject);
    const context = contextOf(service, current, subject, conditions);
    const now = moment(service.nature);
    const items = grants(action, narrowed, caller, context).map((rule) => {
      const ruleHash = hashOf(rule as Json, service.suite);
      return newItem({
        hash: ruleHash,
        data: rule,
        meta: { proofs: [current.system.fresh(ruleHash, { moment: now })], moment: now },
      } as unknown as Json);
    });
    return { status: 200, body: listText(service, current, items) };
  });
}
