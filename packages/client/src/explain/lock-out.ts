import { isObject, type Json } from '@countersign/protocol';
import { ruleHash, type StandingRule } from './granting.js';
import { meets } from './matching.js';
import { type Asker, coversName } from './rule.js';

/** What is known of the rules that a change of `access` replaces. */
export interface FormerAccess {
  readonly access: readonly Json[];
  /** The rules that grant the asker the action, as the ledger tells for each. */
  readonly granted: Readonly<Record<GuardedRight, readonly Json[]>>;
}

/** What a signer needs in order to change the ledger again: the gate, and the update itself. */
export const RIGHTS = ['access', 'update'] as const;
export type GuardedRight = (typeof RIGHTS)[number];

/**
 * The rights to change the ledger that no rule is seen to leave to the asker (interface/access#gate). A rule counts when
 * its conditions are met, as far as that can be seen here, or when it stays and the ledger says that it is.
 */
export function lostRights(access: readonly Json[], before: FormerAccess, asker: Asker): GuardedRight[] {
  const rules = access.filter(isObject).map((rule): StandingRule => ({ level: 'ledger', rule }));
  return RIGHTS.filter((right) => !rules.some((one) => keepsRight(one, right, before, asker)));
}

function keepsRight(one: StandingRule, right: GuardedRight, { access, granted }: FormerAccess, asker: Asker): boolean {
  const { action, record } = one.rule;
  if (!coversName(action, right) || (record !== undefined && !coversName(record, 'ledger'))) return false;
  const verdict = meets(one.rule, asker);
  if (verdict !== 'unknown') return verdict === 'yes';
  // The ledger tells rules without their conditions: all that look like this one must grant, so that this one does.
  const form = ruleHash(one, 'ledger');
  const alike = access
    .filter(isObject)
    .map((rule): StandingRule => ({ level: 'ledger', rule }))
    .filter((other) => ruleHash(other, 'ledger') === form && meets(other.rule, asker) !== 'no');
  const isKept = alike.some(({ rule }) => JSON.stringify(rule) === JSON.stringify(one.rule));
  const count = granted[right].filter(
    (rule) => isObject(rule) && ruleHash({ level: 'ledger', rule }, 'ledger') === form,
  );
  return isKept && count.length >= alike.length;
}
