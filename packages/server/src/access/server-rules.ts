import { LedgerError, readJson } from '@countersign/protocol';
import { Type } from 'typebox';
import { makeRequestCheck } from '../schemas/request.js';
import { AccessEntries, type Rule } from './rules.js';

let check: ((body: unknown) => void) | undefined;

/**
 * The rules of a deployment, as read from a setting (interface/access#levels).
 *
 * @param text a JSON array of rules
 * @throws Error with the first fault; its message completes a sentence that begins with the setting's name
 */
export function parseServerRules(text: string): readonly Rule[] {
  const rules = parseRuleJson(text);
  if (!Array.isArray(rules)) throw new Error('must be a JSON array of access rules');
  check ??= makeRequestCheck(Type.Object({ rules: AccessEntries }));
  try {
    check({ rules });
  } catch (error) {
    throw new Error(`must be a JSON array of access rules: ${firstFault(error)}`);
  }
  const reference = rules.findIndex((rule) => 'policy' in rule);
  if (reference >= 0)
    throw new Error(`must be rules that stand by themselves: /${reference} names a policy of a ledger`);
  return rules as Rule[];
}

function parseRuleJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    throw new Error('must be a JSON array of access rules; it is not JSON');
  }
}

/** Where the rules are wrong, and how. */
function firstFault(error: unknown): string {
  if (!(error instanceof LedgerError) || !Array.isArray(error.custom?.errors)) throw error;
  const [{ instancePath, message }] = error.custom.errors as [{ instancePath: string; message: string }];
  return `${instancePath.replace('/rules', '') || 'they'} ${message}`;
}
