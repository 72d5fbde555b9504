import type { Forwarding } from '../forwarding/call.js';
import { forwardedRead } from '../forwarding/read.js';
import { aspectOf, targetOf } from '../forwarding/target.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { onCurrent } from '../ledgers/attempt.js';
import { asked, authorize, readsEvery } from '../authorization/authorize.js';
import { reader } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { type Answer, authenticate, type Request } from './request.js';
import { asksForSecrets, assertMayReveal, revealed } from '../authorization/reveal.js';
import { foundRecord } from '../records/stored.js';

/**
 * `GET /{kind}s/{id}` (contract 01 §5): 200 with the record, the very bytes the write was answered with; or with that of
 * a bridge, where policies say so (contract 02 §4).
 */
export async function read(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const token = await authenticate(service, ledger, request, undefined);
  const reveals = asksForSecrets(kind, request);
  const forwarding: Forwarding = { kind, request, asked: {} };
  return onCurrent(service, ledger, async (current) => {
    const stored = await foundRecord(service, current, kind, request);
    const target = targetOf(service.task, current, forwarding, 'read', stored);
    if (target && (target.proxied || !stored)) return forwardedRead(service, current, forwarding, target, token);
    if (!stored) throw notFound(kind);
    const caller = await reader(service, current, token);
    const everything = !reveals && !kind.under && (await readsEvery(service, current, kind, caller));
    const reading = everything ? undefined : asked('read', kind, stored);
    if (reading) {
      const conditions = await conditionsOf(service, current, caller, reading.subject);
      await authorize(service, current, caller, { ...reading, conditions });
    }
    // The ledger answers, but not where policies are at fault (contract 02 §4).
    if (target) aspectOf(target);
    const answer = { status: 200, body: stored.body };
    if (!reading || !reveals) return answer;
    await assertMayReveal(service, current, kind, caller, reading.subject);
    return revealed(service, current, kind, answer);
  });
}
