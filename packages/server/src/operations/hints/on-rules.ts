import { isObject, type JsonObject } from '@countersign/protocol';
import { needsProvider } from '../../access/matchers.js';
import type { AccessEntry } from '../../access/rules.js';
import { providersOf } from '../../auth/providers.js';
import type { Ledger } from '../../ledgers/ledger.js';
import type { Cost } from '../../metering/cost.js';

/**
 * What the author of a record should know of its rules: the first that nobody can meet, as the ledger is now
 * (interface/errors#hints-on-what-was-stored).
 *
 * @param ledger undefined for one that is being made, which has no providers
 * @param data of the record, valid
 */
export function hintOnRules(ledger: Ledger | undefined, data: JsonObject, cost: Cost): string | undefined {
  for (const member of ['access', 'values']) {
    const rules = data[member];
    if (!Array.isArray(rules)) continue;
    cost.spend(rules.length);
    const index = rules.findIndex((rule) => isObject(rule) && asksProvider(rule as unknown as AccessEntry));
    if (index < 0) continue;
    if (ledger && providersOf(ledger).length > 0) return undefined;
    return (
      `${member}[${index}] is met by nobody: in "bearer", claims other than "$signer" and "hsh" count in tokens of providers only, ` +
      'and no authentication policy names one.'
    );
  }
  return undefined;
}

function asksProvider(rule: AccessEntry): boolean {
  return 'bearer' in rule && isObject(rule.bearer) && needsProvider(rule.bearer);
}
