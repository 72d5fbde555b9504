import type { JsonObject } from '@countersign/protocol';
import type { Caller } from './caller.js';
import type { Context } from './context.js';
import { rightsFor } from './decide.js';
import { granting, principal, tokenKeys } from './granting.js';
import type { Level, Standing } from './standing.js';

/** The order in which rules are shown; those of the server are not (contract 03 §9). */
const SHOWN: readonly Level[] = ['ledger', 'domain', 'record', 'policy'];

/**
 * The rules that grant `action` to the caller, as an access check shows them (contract 03 §9, 01 §11). `recordKind`
 * is what the check's `data.record` names; without it, the check is about the subject itself (or the ledger).
 */
export function grants(action: string, recordKind: string | undefined, caller: Caller, context: Context): JsonObject[] {
  const kind = context.subject?.kind ?? 'ledger';
  const record = recordKind ?? kind;
  // For reads too it is the proofs of the check that count; an unsigned check is judged by the key of its token.
  const who = principal(caller.proofs.length > 0 ? caller.proofs : tokenKeys(caller), caller);
  const found = [...granting(rightsFor(action, record, context.terms), scopeOf(record, context), () => who)];
  return SHOWN.flatMap((level) => found.filter((one) => one.level === level)).map((one) => shown(one, kind));
}

/** Asked of a domain about records of another kind, what counts is what counts for records in that domain. */
function scopeOf(record: string, context: Context): Context {
  const { subject, ...around } = context;
  if (subject?.kind !== 'domain' || record === 'domain' || record === 'domain-proof') return context;
  const domain = { handle: String(subject.data.handle), access: subject.access };
  return { ...around, domains: [domain, ...context.domains] };
}

/** The rule without whom it is for, and with what it is about when that is said only by where it stands. */
function shown({ level, rule }: Standing, kind: string): JsonObject {
  const { action, record = level === 'record' ? kind : 'ledger', filter, invoke } = rule;
  return {
    action: action as JsonObject[string],
    ...(filter === undefined ? {} : { filter }),
    ...(invoke === undefined ? {} : { invoke }),
    record: record as JsonObject[string],
  };
}
