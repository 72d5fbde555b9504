import { LedgerError } from '@countersign/protocol';
import { limits } from '../limits.js';
import type { Caller } from './caller.js';
import type { Context } from './context.js';
import { principalFor, rightsFor } from './decide.js';
import { admits, ownersFor } from './granting.js';
import { covers, type Standing, standing } from './standing.js';

/**
 * The answer to an action that gate or rules refuse (contract 03 §0 row 1, §5). `credentials` tells whether the request
 * carried a valid token or a valid proof: without either it is `auth.unauthorized`, else `auth.forbidden`.
 */
export function refusal(action: string, record: string, { credentials }: { credentials: boolean }): LedgerError {
  return credentials ? new LedgerError('auth.forbidden', `Cannot ${action} ${record}.`) : unauthorized();
}

/**
 * The answer to who may not add a proof to an intent or see a secret: it counts the rules that are for others (contract
 * 03 §2.4, §5). Without a token or a proof it is `auth.unauthorized`.
 */
export function missingPermissions(action: string, record: string, caller: Caller, context: Context): LedgerError {
  if (caller.token === undefined && caller.proofs.length === 0) return unauthorized();
  let count = context.terms.ownProofs.has(record) ? 2 : 0;
  for (const one of standing(rightsFor(action, record, context.terms), context)) {
    if (count < limits.rules && isForOthers(one, action, record, caller, context)) count += 1;
  }
  const errors = Array.from({ length: count }, () => 'Cannot find required signer.');
  return count === 0
    ? new LedgerError('auth.forbidden', 'Missing permissions')
    : new LedgerError('auth.forbidden', 'Missing permissions', { errors });
}

function unauthorized(): LedgerError {
  return new LedgerError('auth.unauthorized', 'Missing token.');
}

function isForOthers(one: Standing, action: string, record: string, caller: Caller, context: Context): boolean {
  const { signer } = one.rule;
  if (!signer) return false;
  const right = rightsFor(action, record, context.terms).find((right) => covers(one, right, context));
  if (!right) return action === 'reveal' && isRecordsOwn(one, context);
  const rule = { action: one.rule.action, signer };
  return !admits(rule, principalFor(action, one.level, caller), ownersFor(right, context), context.cost);
}

/** A record's own rules never reveal its secret, but are counted (contract 03 §2.4). */
function isRecordsOwn(one: Standing, context: Context): boolean {
  const { subject } = context;
  return (
    subject !== undefined && one.level === 'record' && covers(one, { action: 'reveal', record: subject.kind }, context)
  );
}
