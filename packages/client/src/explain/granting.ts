import { hash, isObject, type Json, type JsonObject } from '@countersign/protocol';
import { forWhom } from './for-whom.js';
import { meets } from './matching.js';
import { type AskedAction, type Asker, coversName, type RuleLevel } from './rule.js';

/** A rule where it stands. */
export interface StandingRule {
  readonly level: RuleLevel;
  readonly rule: JsonObject;
}

/** A rule that grants; the ledger shows it without the conditions, which are in the rules themselves. */
export interface ExplainedRule {
  /** Missing where the rules could not be read, or the rule is one of a policy or domain. */
  readonly level?: RuleLevel;
  readonly rule: JsonObject;
}

/**
 * The rules that grant, with their conditions (interface/access#access-check).
 *
 * @param granted as the ledger tells: without `signer` and `bearer`
 * @param standing the rules that the asker may read
 * @param kind that a rule of a record without `record` is about
 */
export function findGrantingRules(
  granted: readonly Json[],
  standing: readonly StandingRule[],
  kind: string,
  asker: Asker,
): ExplainedRule[] {
  const found: ExplainedRule[] = [];
  const forms = new Set<string>();
  for (const rule of granted.filter(isObject)) {
    const form = hash(rule);
    if (forms.has(form)) continue;
    forms.add(form);
    const alike = standing.filter((one) => ruleHash(one, kind) === form && meets(one.rule, asker) !== 'no');
    found.push(...(alike.length === 0 ? [{ rule }] : alike));
  }
  return found;
}

/** The rules that may have let a token of the asker read. */
export function readableBy(
  standing: readonly StandingRule[],
  { action, record }: AskedAction,
  asker: Asker,
): ExplainedRule[] {
  return standing.filter(({ level, rule }) => {
    const about = rule.record ?? (level === 'record' ? record : 'ledger');
    return coversName(rule.action, action) && coversName(about, record) && meets(rule, asker, 'token') !== 'no';
  });
}

/** A rule and whom it is for, on two lines. */
export function textOfGranting({ level, rule }: ExplainedRule): string[] {
  const whom = level === undefined ? 'The rules that the key may read do not say whom it is for.' : forWhom(rule);
  return [`${level === undefined ? '' : `of the ${level}: `}${JSON.stringify(rule)}`, `  ${whom}`];
}

/** The hash of a rule as an access check shows it. */
export function ruleHash({ level, rule }: StandingRule, kind: string): string {
  const { signer: _, bearer: __, ...form } = rule;
  return hash({ ...form, record: form.record ?? (level === 'record' ? kind : 'ledger') });
}
