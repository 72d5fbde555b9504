import type { JsonObject } from '@countersign/protocol';
import type { Caller } from './caller.js';
import type { Context } from './context.js';
import { rightsFor } from './decide.js';
import { granting, principal, tokenKeys } from './granting.js';
import type { Level, Standing } from './standing.js';

/** The order in which rules are shown; server rules are left out (interface/access#access-check). */
const LEVEL_ORDER: readonly Level[] = ['ledger', 'domain', 'record', 'policy'];

/**
 * The rules that grant `action` to the caller, as an access check shows them (interface/access#access-check).
 * `recordKind` is the check's `data.record`; when it is absent, the check is about the subject itself, or the ledger.
 */
export function grants(action: string, recordKind: string | undefined, caller: Caller, context: Context): JsonObject[] {
  const kind = context.subject?.kind ?? 'ledger';
  const record = recordKind ?? kind;
  // A signed check is judged by its proofs, for reads too; an unsigned one by the key of its token.
  const who = principal(caller.proofs.length > 0 ? caller.proofs : tokenKeys(caller), caller);
  const found = [...granting(rightsFor(action, record, context.terms), scopeOf(record, context), () => who)];
  return LEVEL_ORDER.flatMap((level) => found.filter((one) => one.level === level)).map((one) =>
    describeRule(one, kind),
  );
}

/** A check of a domain about records of another kind is judged by the rules for records in that domain. */
function scopeOf(record: string, context: Context): Context {
  const { subject, ...around } = context;
  if (subject?.kind !== 'domain' || record === 'domain' || record === 'domain-proof') return context;
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
