import type { Json } from '@countersign/protocol';
import type { Collection } from '../collection.js';
import type { Ledger } from '../connect.js';
import { isRefusal } from '../errors.js';
import type { RecordName } from '../generated/kinds.js';
import { type ExplainedRule, findGrantingRules, readableBy, type StandingRule } from './granting.js';
import { type AskedAction, type Asker, remarkOn } from './rule.js';
import { collectStandingRules } from './standing-rules.js';

/** What is found out. */
export interface AccessFinding {
  readonly granted: boolean;
  readonly why: string;
  /** The rules that grant it, as the ledger tells: without those whom they are for. */
  readonly rules: readonly Json[];
  /** The same with their conditions, where they could be read. */
  readonly granting: readonly ExplainedRule[];
  /** Rules that come near, and what they lack. */
  readonly near: readonly { readonly level: string; readonly rule: Json; readonly remark: string }[];
}

/**
 * Finds out whether an action on a record is granted to who signs, and why: the ledger itself decides, the rules that may
 * be read tell the rest (interface/access#access-check).
 *
 * @param target the record, without `id` the ledger itself
 * @param asked which may be about another kind: `create` of a wallet is asked of the ledger
 * @throws what the client throws
 */
export async function explainAccess(
  ledger: Ledger,
  { kind, id: name }: { readonly kind: RecordName; readonly id: string | undefined },
  asked: AskedAction,
  asker: Asker,
): Promise<AccessFinding> {
  const operations = ledger.kind(kind);
  const id = name === undefined ? [] : [name];
  const rulesOf = async (action: string, record?: string): Promise<Json[]> => {
    const options = record === undefined || record === kind ? {} : { record };
    const rules = (await operations.check(...id, action, options)) as { readonly data: Json }[];
    return rules.map(({ data }) => data);
  };
  const rules = await rulesOf(asked.action, asked.record);
  const gate = await ledger.record.check('access');
  const isOpen = gate.length > 0;
  const standing = await collectStandingRules(ledger, operations, id);
  const granting = findGrantingRules(rules, standing, kind, asker);
  const near = nearRules(standing, asked, asker);
  const isRead = asked.action === 'read' && asked.record === kind;
  if (isRead) {
    const isReadable = await canRead(operations, id);
    const why = isReadable
      ? 'The ledger let the key read it by a token.'
      : 'No rule grants it to a token of the key, and a read carries a token only.';
    return isReadable
      ? { granted: true, why, rules, granting: readableBy(standing, asked, asker), near: [] }
      : { granted: false, why, rules, granting, near };
  }
  if (rules.length > 0 && isOpen)
    return { granted: true, why: 'These rules grant it, and the gate is open.', rules, granting, near: [] };
  const why = isOpen
    ? 'No rule grants it to the key.'
    : 'The gate is closed: no rule of the ledger grants the key `access`, so that no other rule counts (docs/interface/access.md#gate).';
  return { granted: false, why, rules, granting, near };
}

async function canRead(operations: Collection, id: readonly string[]): Promise<boolean> {
  try {
    await operations.get(...id);
    return true;
  } catch (error) {
    if (isRefusal(error, 'auth.forbidden') || isRefusal(error, 'auth.unauthorized')) return false;
    throw error;
  }
}

/** The rules that come near, and what they lack. */
export function nearRules(standing: readonly StandingRule[], asked: AskedAction, asker: Asker) {
  return standing.flatMap(({ level, rule }) => {
    const remark = remarkOn(rule, level, asked, asker);
    return remark === undefined ? [] : [{ level, rule, remark }];
  });
}
