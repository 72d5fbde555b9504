import { isRefusal, type Ledger, type Signed } from '@countersign/client';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';

/** Policies that are read. */
const MOST_POLICIES = 300;

/** A rule that counts, and where it stands. */
export interface PlacedRule {
  /** The policy that has it; undefined for the ledger's own. */
  readonly policy: string | undefined;
  /** Its number there, from 1. */
  readonly at: number;
  /** With the record that it is about. */
  readonly rule: JsonObject;
}

/** The rules of a ledger that are about all its records. */
export interface LedgerRules {
  readonly rules: readonly PlacedRule[];
  readonly isByPolicies: boolean;
  /** Policies that are referred to, and were not found. */
  readonly missing: readonly string[];
  readonly hasMore: boolean;
}

/** Whether the configuration of a ledger lets only the values of active access policies count. */
export function isPolicyBased({ data }: Pick<Signed, 'data'>): boolean {
  const config = data.config as Json;
  return isObject(config) && config['access.strategy'] === 'policy-based';
}

/** Reads the rules of a ledger, with the values of policies in place of what refers to them (interface/policies#access-policies). */
export async function readRules(client: Ledger, ledger: Signed): Promise<LedgerRules> {
  const { policies, hasMore } = await readPolicies(client);
  const { access } = ledger.data;
  const isByPolicies = isPolicyBased(ledger);
  const missing = new Set<string>();
  const rules: PlacedRule[] = [];
  const valuesOf = (handle: string, seen: readonly string[] = []): void => {
    const policy = policies.get(handle);
    if (policy === undefined) missing.add(handle);
    if (policy === undefined || seen.includes(handle)) return;
    for (const one of namesIn(policy.data.extend as Json)) valuesOf(one, [...seen, handle]);
    for (const [at, value] of objectsIn(policy.data.values).entries()) {
      const record = value.record ?? (policy.data.record as Json | undefined) ?? 'ledger';
      const filter = value.filter ?? (policy.data.filter as Json | undefined);
      rules.push({
        policy: handle,
        at: at + 1,
        rule: { ...value, record, ...(filter === undefined ? {} : { filter }) },
      });
    }
  };
  if (isByPolicies) {
    for (const [handle, { meta }] of policies) if (meta.status === 'active') valuesOf(handle);
    return { rules: unique(rules), isByPolicies, missing: [...missing], hasMore };
  }
  for (const [at, rule] of objectsIn(access).entries()) {
    if (rule.policy !== undefined) for (const handle of namesIn(rule.policy)) valuesOf(handle);
    else rules.push({ policy: undefined, at: at + 1, rule: { ...rule, record: rule.record ?? 'ledger' } });
  }
  return { rules: unique(rules), isByPolicies, missing: [...missing], hasMore };
}

/** The rules of a record of its own: those without `record` are about itself. */
export function rulesOfRecord(record: Signed, kind: string): JsonObject[] {
  return objectsIn(record.data.access).map((rule) => ({ ...rule, record: rule.record ?? kind }));
}

/** The names that a value has: itself, or those of `$in`. */
export function namesIn(value: Json | undefined): string[] {
  const several = isObject(value) && Array.isArray(value.$in) ? value.$in : Array.isArray(value) ? value : [value];
  return several.filter((one): one is string => typeof one === 'string');
}

/** The circles that rules name, wherever in their matchers. */
export function circlesIn(rules: readonly JsonObject[]): string[] {
  const found = new Set<string>();
  const look = (value: Json | undefined): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (isObject(value))
      for (const [name, member] of Object.entries(value)) {
        if (name === '$circle') for (const circle of namesIn(member)) found.add(circle);
        else look(member);
      }
  };
  for (const { signer, bearer } of rules) [signer, bearer].forEach(look);
  return [...found];
}

async function readPolicies(client: Ledger): Promise<{ policies: Map<string, Signed>; hasMore: boolean }> {
  try {
    const list = client.policies.list({ filter: { 'data.schema': 'access' }, limit: 200 });
    const all = (await list.all(MOST_POLICIES + 1)) as unknown as Signed[];
    const policies = new Map(all.slice(0, MOST_POLICIES).map((policy) => [String(policy.data.handle), policy]));
    return { policies, hasMore: all.length > MOST_POLICIES };
  } catch (error) {
    if (isRefusal(error)) return { policies: new Map(), hasMore: false };
    throw error;
  }
}

/** Each once: policies may be referred to several times. */
function unique(rules: readonly PlacedRule[]): PlacedRule[] {
  return [...new Map(rules.map((one) => [`${one.at} ${one.policy}`, one])).values()];
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value as Json[]).filter(isObject) : [];
}
