import type { Caller } from './caller.js';
import type { Context } from './context.js';
import { granting, type Principal, principal, tokenKeys } from './granting.js';
import type { Level, Right } from './standing.js';

/** The outcome, and the rule that brought it about. */
export interface Decision {
  readonly granted: boolean;
  /** `policy` is the handle of the access policy, when one of its values granted. */
  readonly by?: { readonly level: Level; readonly index: number; readonly policy?: string };
}

/**
 * Whether rules allow `caller` to do `action` on `record`, a name from contract 03 §6.1 (`wallet`, `intent-proof`).
 * Nothing is allowed that no rule grants, and no rule takes away what another grants (contract 03 §6.4). The gate of
 * the ledger is asked separately: `may` asks both.
 */
export function decide(action: string, record: string, caller: Caller, context: Context): Decision {
  const rights = rightsFor(action, record);
  for (const { level, index, policy } of granting(rights, context, (level) => principalFor(action, level, caller))) {
    return { granted: true, by: policy === undefined ? { level, index } : { level, index, policy } };
  }
  return { granted: false };
}

/** The rights any of which allows the operation: for some, the contract leaves open which one is meant. */
export function rightsFor(action: string, record: string): readonly Right[] {
  const asked = { action, record };
  // Contract 03 §7, Rights. The subject is the circle.
  if (record === 'circle' && action === 'assign-signer') return [asked, { action: 'create', record: 'circle-signer' }];
  if (record === 'circle' && action === 'remove-signer') return [asked, { action: 'drop', record: 'circle-signer' }];
  // Contract 03 §6.4: a proof may be added by who may update the record; to intents not.
  if (action === 'create' && record.endsWith('-proof') && record !== 'intent-proof') {
    return [asked, { action: 'update', record: record.slice(0, -'-proof'.length) }];
  }
  return [asked];
}

/** Whether the action comes without proofs of its own (contract 03 §6.3). */
export function isRead(action: string): boolean {
  return action === 'read' || action === 'query' || action === 'query-event';
}

/** With whom the rules of a level are matched (contract 03 §6.3, §6.4; §2.4 for `reveal`). */
export function principalFor(action: string, level: Level, caller: Caller): Principal {
  // Secrets are for the key of the token only: what a rule says of its claims does not count.
  if (action === 'reveal') return { keys: tokenKeys(caller) };
  if (isRead(action)) return principal(level === 'domain' ? tokenKeys(caller) : [], caller);
  const impersonated = tokenKeys(caller).filter((key) => key.signer !== undefined);
  return principal([...caller.proofs, ...impersonated], caller);
}

/** Whether the ledger's rules (or its policies) give the caller `access` (contract 03 §6.5). */
export function mayEnter(caller: Caller, { ledger, policies }: Context): boolean {
  const who = principal([...caller.proofs, ...tokenKeys(caller)], caller);
  const found = granting(
    [{ action: 'access', record: 'ledger' }],
    { ledger, policies, server: [], domains: [] },
    () => who,
  );
  return found.next().done === false;
}

/**
 * Whether the caller gets as far as the action itself (contract 03 §6.5): a mutation needs `access`; a read does not
 * when a rule of the ledger or the server grants this very read.
 */
export function gate(caller: Caller, context: Context, mutation: boolean, action: string, record: string): boolean {
  if (mayEnter(caller, context)) return true;
  if (mutation) return false;
  for (const { level } of granting(rightsFor(action, record), context, (level) =>
    principalFor(action, level, caller),
  )) {
    if (level === 'ledger' || level === 'server') return true;
  }
  return false;
}

/** Whether the caller passes the gate and rules allow the action. */
export function may(action: string, record: string, caller: Caller, context: Context): boolean {
  return gate(caller, context, !isRead(action), action, record) && decide(action, record, caller, context).granted;
}

/** Whether the caller may read the subject, of that kind. */
export function mayRead(kind: string, caller: Caller, context: Context): boolean {
  return may('read', kind, caller, context);
}

/** Whether the caller may list records of `kind`; what the list shows is for `visible` (contract 03 §6.6). */
export function mayQuery(kind: string, caller: Caller, { ledger, policies, server }: Context): boolean {
  return gate(caller, { ledger, policies, server, domains: [] }, false, 'read', kind);
}

/**
 * Whether a list that the caller may ask for shows the subject (contract 03 §6.6): when it is readable; under
 * policies, when a value grants `query`, for which a `signer` value is matched with the token's key.
 */
export function visible(kind: string, caller: Caller, context: Context): boolean {
  if (!context.ledger.policyBased) return decide('read', kind, caller, context).granted;
  const who = principal(tokenKeys(caller), caller);
  return granting([{ action: 'query', record: kind }], context, () => who).next().done === false;
}
