import type { JsonObject } from '@countersign/protocol';
import type { Caller } from './caller.js';
import type { Context } from './context.js';
import { carriesToken, isRead, passage, principals, rightsFor } from './decide.js';
import { granting, tokenKeys } from './granting.js';
import type { Level, Standing } from './standing.js';

/** The order in which rules are shown; server rules are left out (interface/access#access-check). */
const LEVEL_ORDER: readonly Level[] = ['ledger', 'domain', 'record', 'policy'];

/**
 * The rules that would let a request for `action` pass, as an access check shows them: none where the request would be
 * refused, at the gate or by the rules (interface/access#access-check).
 *
 * @param recordKind the check's `data.record`; when it is absent, the check is about the subject itself, or the ledger
 * @param asked who may send it (`askers`), each with what it would be judged by
 */
export function grants(action: string, recordKind: string | undefined, asked: readonly Asked[]): JsonObject[] {
  const [first = [], ...others] = asked.map((one) => granted(action, recordKind, one));
  const shown = [...first];
  // What several signers are granted by is shown once.
  const known = new Set(first.map((one) => JSON.stringify(one)));
  for (const one of others.flat()) {
    const text = JSON.stringify(one);
    if (!known.has(text)) shown.push(one);
    known.add(text);
  }
  const kind = asked[0]?.context.subject?.kind ?? 'ledger';
  return LEVEL_ORDER.flatMap((level) => shown.filter((one) => one.level === level)).map((one) =>
    describeRule(one, kind),
  );
}

function granted(action: string, recordKind: string | undefined, { caller, context }: Asked): Standing[] {
  const record = recordKind ?? context.subject?.kind ?? 'ledger';
  const scope = scopeOf(record, context);
  // A list is open to who may read, and to whoever is in (interface/access#lists).
  const passed = passage(caller, scope, !isRead(action), action === 'query' ? 'read' : action, record);
  if (!passed) return [];
  const rules = [...granting(rightsFor(action, record, context.terms), scope, principals(action, caller, scope))];
  return action === 'query' && rules.length === 0 ? [passed] : rules;
}

/** Who would ask, and what the request would be judged by. */
export interface Asked {
  readonly caller: Caller;
  readonly context: Context;
}

/**
 * The caller as the request would have it. A read carries a token: the check's own, else one that a signer of the check
 * would sign. A write carries proofs: the check's own, else one by the key of its token.
 */
export function askers(action: string, caller: Caller): Caller[] {
  const { proofs, token } = caller;
  if (!carriesToken(action)) return [proofs.length > 0 ? caller : { ...caller, proofs: tokenKeys(caller) }];
  if (token) return [{ proofs: [], token }];
  return proofs.map((key) => ({ proofs: [], token: { claims: {}, key } }));
}

/**
 * A check of a domain about records of another kind is judged by the rules for records in that domain; one of the ledger, by
 * those for records whose data is not known.
 */
function scopeOf(record: string, context: Context): Context {
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
function describeRule({ level, rule }: Standing, kind: string): JsonObject {
  const { action, record = level === 'record' ? kind : 'ledger', filter, invoke } = rule;
  return {
    action: action as JsonObject[string],
    ...(filter === undefined ? {} : { filter }),
    ...(invoke === undefined ? {} : { invoke }),
    record: record as JsonObject[string],
  };
}
