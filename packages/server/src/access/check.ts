import { type JsonObject, LedgerError } from '@countersign/protocol';
import { defined } from '../base/defined.js';
import { accessLimits } from './access-limits.js';
import type { ApplicableRule, Level } from './applicable-rules.js';
import type { Caller } from './caller.js';
import type { AccessContext } from './context.js';
import { carriesToken, isRead, passage, principals, rightsFor } from './decide.js';
import { grantingAny, tokenKeys } from './granting-rules.js';

/** The order in which rules are shown; server rules are left out (interface/access#access-check). */
const LEVEL_ORDER: readonly Level[] = ['ledger', 'domain', 'record', 'policy'];

/**
 * The rules that would let a request for `action` pass, as an access check shows them: none where the request would be
 * refused, at the gate or by the rules (interface/access#access-check).
 *
 * @param recordKind the check's `data.record`; when it is absent, the check is about the subject itself, or the ledger
 * @param asked who may send it (`askers`), each with what it would be judged by: the same, but for conditions
 */
export function grants(action: string, recordKind: string | undefined, asked: readonly AskedCaller[]): JsonObject[] {
  const { context } = asked[0] ?? {};
  if (!context) return [];
  const kind = context.subject?.kind ?? 'ledger';
  const shown = collectStanding(action, recordKind ?? kind, asked, contextOfCheck(recordKind ?? kind, context));
  return LEVEL_ORDER.flatMap((level) => shown.filter((one) => one.level === level)).map((one) =>
    describeRule(one, kind),
  );
}

function collectStanding(
  action: string,
  record: string,
  asked: readonly AskedCaller[],
  scope: AccessContext,
): ApplicableRule[] {
  const passed = asked.flatMap(({ caller, context }) => {
    // A list is open to who may read, and to whoever is in (interface/access#lists).
    const by = passage(caller, scope, !isRead(action), action === 'query' ? 'read' : action, record);
    return by ? [{ by, who: principals(action, caller, scope), invoke: context.invoke }] : [];
  });
  const rules = [...grantingAny(rightsFor(action, record, scope.terms), scope, passed)];
  return action === 'query' && rules.length === 0 ? passed.slice(0, 1).map(({ by }) => by) : rules;
}

/** Who would ask, and what the request would be judged by. */
export interface AskedCaller {
  readonly caller: Caller;
  readonly context: AccessContext;
}

/**
 * The caller as the request would have it. A read carries a token: the check's own, else one that a signer of the check
 * would sign. A write carries proofs: the check's own, else one by the key of its token.
 *
 * @throws `record.invalid` for more than `accessLimits.readers` signers of a check of a read
 */
export function askers(action: string, caller: Caller): Caller[] {
  const { proofs, token } = caller;
  if (!carriesToken(action)) return [proofs.length > 0 ? caller : { ...caller, proofs: tokenKeys(caller) }];
  if (token) return [{ proofs: [], token }];
  if (proofs.length > accessLimits.readers) {
    throw new LedgerError(
      'record.invalid',
      `More than ${accessLimits.readers} signers ask what a read of each would be answered`,
    );
  }
  return proofs.map((key) => ({ proofs: [], token: { claims: {}, key } }));
}

/**
 * A check of a domain about records of another kind is judged by the rules for records in that domain; one of the ledger, by
 * those for records whose data is not known.
 */
function contextOfCheck(record: string, context: AccessContext): AccessContext {
  const { subject, ...around } = context;
  if (!subject || record === subject.kind || record === `${subject.kind}-proof`) return context;
  if (subject.kind === 'ledger') return around;
  if (subject.kind !== 'domain') return context;
  const domain = { handle: String(subject.data.handle), access: subject.access };
  return { ...around, domains: [domain, ...context.domains] };
}

/**
 * The rule as an access check shows it: matchers of callers are left out, and a `record` implied by the level is filled
 * in.
 */
function describeRule({ level, rule }: ApplicableRule, kind: string): JsonObject {
  const { action, record = level === 'record' ? kind : 'ledger', filter, invoke } = rule;
  return {
    action: action as JsonObject[string],
    ...defined({ filter, invoke }),
    record: record as JsonObject[string],
  };
}
