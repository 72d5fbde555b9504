import { LedgerError } from '@countersign/protocol';
import { accessLimits } from './access-limits.js';
import { type ApplicableRule, applicableRules, covers } from './applicable-rules.js';
import type { Caller } from './caller.js';
import type { AccessContext } from './context.js';
import { principalFor, rightsFor } from './decide.js';
import { admits, ownersFor } from './granting-rules.js';

/**
 * The error for an action that the gate or the rules refuse (interface/tokens#refused-tokens,
 * interface/access#refusals): `auth.forbidden` when the request carried a valid token or proof (`credentials`), else
 * `auth.unauthorized`.
 */
export function accessRefusal(action: string, record: string, { credentials }: { credentials: boolean }): LedgerError {
  return credentials ? new LedgerError('auth.forbidden', `Cannot ${action} ${record}.`) : refuseUnauthorized();
}

/**
 * The error for a refused proof on an intent or a refused secret: it counts the rules that are for others
 * (interface/signers#secrets, interface/access#refusals). It is `auth.unauthorized` for a request that carries neither
 * token nor proof.
 */
export function refuseForPermissions(
  action: string,
  record: string,
  caller: Caller,
  context: AccessContext,
): LedgerError {
  if (caller.token === undefined && caller.proofs.length === 0) return refuseUnauthorized();
  let count = context.terms.ownProofs.has(record) ? 2 : 0;
  for (const one of applicableRules(rightsFor(action, record, context.terms), context)) {
    if (count < accessLimits.rules && isForOthers(one, action, record, caller, context)) count += 1;
  }
  const errors = Array.from({ length: count }, () => 'Cannot find required signer.');
  return count === 0
    ? new LedgerError('auth.forbidden', 'Missing permissions')
    : new LedgerError('auth.forbidden', 'Missing permissions', { errors });
}

function refuseUnauthorized(): LedgerError {
  return new LedgerError(
    'auth.unauthorized',
    'Missing token: send one in the header authorization; a write may be signed instead.',
  );
}

function isForOthers(
  one: ApplicableRule,
  action: string,
  record: string,
  caller: Caller,
  context: AccessContext,
): boolean {
  const { signer } = one.rule;
  if (!signer) return false;
  const right = rightsFor(action, record, context.terms).find((right) => covers(one, right, context));
  if (!right) return action === 'reveal' && isRecordsOwn(one, context);
  const rule = { action: one.rule.action, signer };
  return !admits(rule, principalFor(action, one.level, caller), ownersFor(right, context), context.cost);
}

/** The rules on the record itself never reveal its secret, but are counted (interface/signers#secrets). */
function isRecordsOwn(one: ApplicableRule, context: AccessContext): boolean {
  const { subject } = context;
  return (
    subject !== undefined && one.level === 'record' && covers(one, { action: 'reveal', record: subject.kind }, context)
  );
}
