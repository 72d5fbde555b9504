import type { ApplicableRule, Level } from './applicable-rules.js';
import type { Caller } from './caller.js';
import type { AccessContext, Right, RightTerms } from './context.js';
import { domainsAround, findGranting, type Principal, principal, tokenKeys } from './granting-rules.js';

/** The outcome, and the rule that brought it about. */
export interface AccessDecision {
  readonly granted: boolean;
  /** `policy` is the handle of the access policy, when one of its values granted. */
  readonly by?: { readonly level: Level; readonly index: number; readonly policy?: string };
}

/**
 * Whether rules allow `caller` to do `action` on `record`, a name from interface/access#record-names (`wallet`,
 * `intent-proof`). Rules only grant: an action is allowed when any rule grants it (interface/access#levels). The gate
 * of the ledger is separate; `may` asks both.
 */
export function decideAccess(action: string, record: string, caller: Caller, context: AccessContext): AccessDecision {
  const rights = rightsFor(action, record, context.terms);
  return decisionBy(first(findGranting(rights, context, principals(action, caller, context))));
}

/** A grant by `rule`, or a refusal when it is undefined. */
function decisionBy(rule: ApplicableRule | undefined): AccessDecision {
  if (!rule) return { granted: false };
  const { level, index, policy } = rule;
  return { granted: true, by: policy === undefined ? { level, index } : { level, index, policy } };
}

function first(rules: Iterable<ApplicableRule>): ApplicableRule | undefined {
  for (const rule of rules) return rule;
  return undefined;
}

/** The rights any of which allows the operation: for some operations the interface names two. */
export function rightsFor(action: string, record: string, terms: RightTerms): readonly Right[] {
  const asked = { action, record };
  // interface/circles#members: assigning a signer to a circle is creating a circle signer. The subject is the circle.
  const alike = terms.alike.get(record)?.get(action);
  if (alike) return [asked, alike];
  // interface/access#levels: the right to update a record includes adding proofs, except to intents.
  if (action === 'create' && record.endsWith('-proof') && !terms.ownProofs.has(record)) {
    return [asked, { action: 'update', record: record.slice(0, -'-proof'.length) }];
  }
  return [asked];
}

/** Whether the action comes without proofs of its own (interface/access#reads-and-writes). */
export function isRead(action: string): boolean {
  return action === 'read' || action === 'query' || action === 'query-event';
}

/** Whether the request for the action carries a token only: reads, and secrets that are shown with a read. */
export function carriesToken(action: string): boolean {
  return isRead(action) || action === 'reveal';
}

/**
 * The keys and token that the rules of a level are matched with (interface/access#reads-and-writes,
 * interface/access#levels, interface/signers#secrets for `reveal`).
 */
export function principalFor(action: string, level: Level, caller: Caller): Principal {
  // Secrets are revealed to the key of the token; a `bearer` rule does not count.
  if (action === 'reveal') return { keys: tokenKeys(caller) };
  // To hold `access` at all, a key of either kind counts (interface/access#gate).
  if (action === 'access') return principal([...caller.proofs, ...tokenKeys(caller)], caller);
  if (isRead(action)) return principal(level === 'domain' ? tokenKeys(caller) : [], caller);
  const impersonated = tokenKeys(caller).filter((key) => key.signer !== undefined);
  return principal([...caller.proofs, ...impersonated], caller);
}

/** `principalFor`, given the level. The rules on a domain's own record count as rules of a domain. */
export function principals(action: string, caller: Caller, { subject }: AccessContext): (level: Level) => Principal {
  const own: Level = subject?.kind === 'domain' ? 'domain' : 'record';
  return (level) => principalFor(action, level === 'record' ? own : level, caller);
}

/** The rule of the ledger (or value of a policy) that gives the caller `access` (interface/access#gate). */
function entry(caller: Caller, around: AccessContext): ApplicableRule | undefined {
  const { ledger, policies, terms, cost } = around;
  const who = principal([...caller.proofs, ...tokenKeys(caller)], caller);
  const context = { ledger, policies, server: [], domains: [], signersOf: domainsAround(around), terms, cost };
  return first(findGranting([{ action: 'access', record: 'ledger' }], context, () => who));
}

/** Whether the ledger's rules (or its policies) give the caller `access` (interface/access#gate). */
export function mayEnter(caller: Caller, context: AccessContext): boolean {
  return entry(caller, context) !== undefined;
}

/**
 * The rule that passes the gate for this action (interface/access#gate): one that gives `access`; for a read, also a
 * rule of the ledger or the server that grants this read.
 */
export function passage(
  caller: Caller,
  context: AccessContext,
  mutation: boolean,
  action: string,
  record: string,
): ApplicableRule | undefined {
  const entered = entry(caller, context);
  if (entered || mutation) return entered;
  for (const rule of findGranting(
    rightsFor(action, record, context.terms),
    context,
    principals(action, caller, context),
  )) {
    if (rule.level === 'ledger' || rule.level === 'server') return rule;
  }
  return undefined;
}

/** Whether the caller passes the gate: a mutation always needs `access` (interface/access#gate). */
export function passesGate(
  caller: Caller,
  context: AccessContext,
  mutation: boolean,
  action: string,
  record: string,
): boolean {
  return passage(caller, context, mutation, action, record) !== undefined;
}

/** A decision on the whole way: the gate, then the rules. */
export interface Judgement extends AccessDecision {
  /** Where the caller was stopped, on a refusal. */
  readonly stopped?: 'gate' | 'rules';
}

/** Whether the caller passes the gate and rules allow the action, and by which rule. */
export function judgeAccess(action: string, record: string, caller: Caller, context: AccessContext): Judgement {
  if (!passesGate(caller, context, !isRead(action), action, record)) return { granted: false, stopped: 'gate' };
  const decision = decideAccess(action, record, caller, context);
  return decision.granted ? decision : { granted: false, stopped: 'rules' };
}

/** Whether the caller passes the gate and rules allow the action. */
export function may(action: string, record: string, caller: Caller, context: AccessContext): boolean {
  return judgeAccess(action, record, caller, context).granted;
}

/** Whether the caller may read the subject, of that kind. */
export function mayRead(kind: string, caller: Caller, context: AccessContext): boolean {
  return may('read', kind, caller, context);
}

/**
 * Whether the caller may list records of `kind`, and by which rule (interface/access#lists). `isVisible` decides which
 * records the list shows.
 */
export function judgeQuery(
  kind: string,
  caller: Caller,
  { ledger, policies, server, terms, cost }: AccessContext,
): Judgement {
  const rule = passage(caller, { ledger, policies, server, domains: [], terms, cost }, false, 'read', kind);
  return rule ? decisionBy(rule) : { granted: false, stopped: 'gate' };
}

/**
 * Whether a list that the caller may ask for shows the subject (interface/access#lists): when it is readable; under
 * policies, when a value grants `query`, whose `signer` is matched with the token's key.
 */
export function isVisible(kind: string, caller: Caller, context: AccessContext): boolean {
  if (!context.ledger.policyBased) return decideAccess('read', kind, caller, context).granted;
  const who = principal(tokenKeys(caller), caller);
  return first(findGranting([{ action: 'query', record: kind }], context, () => who)) !== undefined;
}
