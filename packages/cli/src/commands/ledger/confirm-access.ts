import { lostRights } from '@countersign/client/explain';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import type { OpenLedger } from '../../connect.js';
import type { Invocation } from '../../description/invocation.js';
import type { Operations, SignedRecord } from '../records/kind.js';

/**
 * Has the user confirm rules of a ledger that may lock out the key that signs them: only another key could mend that.
 *
 * @param before the record of the ledger as it is
 * @param data as it is going to be
 * @throws Failure unless it is confirmed
 */
export async function confirmAccess(
  invocation: Invocation,
  { ledger, key, target }: OpenLedger,
  before: SignedRecord,
  data: JsonObject,
): Promise<void> {
  const [old, next] = [accessRules(before.data as JsonObject), accessRules(data)];
  // Under policies the rules of the ledger count for nothing.
  if (key === undefined || isByPolicies(data) || JSON.stringify(old) === JSON.stringify(next)) return;
  const operations = ledger.record as unknown as Operations;
  const granted = async (action: string): Promise<Json[]> => {
    const rules: { readonly data: Json }[] = await operations.check(action);
    return rules.map(({ data }) => data);
  };
  const { owners } = before.meta;
  const asker = {
    public: key.public,
    handle: target.signer,
    isOwner: Array.isArray(owners) && owners.includes(key.public),
  };
  const known = { access: old, granted: { access: await granted('access'), update: await granted('update') } };
  await confirmLost(invocation, lostRights(next, known, asker));
}

/** The same of a ledger that is to be made: its owner is the key that signs. */
export async function confirmFirstAccess(invocation: Invocation, key: string, data: JsonObject): Promise<void> {
  if (isByPolicies(data)) return;
  const none = { access: [], granted: { access: [], update: [] } };
  await confirmLost(invocation, lostRights(accessRules(data), none, { public: key, isOwner: true }));
}

async function confirmLost(invocation: Invocation, lost: readonly string[]): Promise<void> {
  if (lost.length === 0) return;
  invocation.output.warn(
    `no rule seems to leave your key the right to ${lost.map((one) => `\`${one}\``).join(' and ')} on the ledger: you may lock yourself out.`,
  );
  await invocation.confirm('Use these rules anyway?');
}

function accessRules({ access }: JsonObject): Json[] {
  return Array.isArray(access) ? access : [];
}

function isByPolicies({ config }: JsonObject): boolean {
  return isObject(config) && config['access.strategy'] === 'policy-based';
}
