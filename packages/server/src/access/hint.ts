import type { Caller } from './caller.js';
import type { AccessContext, Right } from './context.js';
import { decideAccess, isRead, judgeAccess, mayEnter, principalFor, rightsFor } from './decide.js';
import { admits, type Principal, tokenKeys } from './granting-rules.js';
import { actionMatches, nameMatches } from './matchers.js';
import type { Rule } from './rules.js';

/** Rules that are looked at for a hint; a ledger with more gives none. */
const MOST_RULES = 100;

/** Where a rule stands among those of the ledger. */
interface NumberedRule {
  readonly index: number;
  readonly rule: Rule;
}

/**
 * Why the rules of a ledger refuse what their author may think they grant (interface/errors#hints).
 *
 * It rests on the caller, the action and the rules in the ledger's own record, and is given only to who may read that record. So
 * it tells nothing of the record that was asked for, not even whether there is one.
 *
 * @param context of the request; of it, what is about a record or a domain is left aside
 */
export function hintOn(action: string, record: string, caller: Caller, context: AccessContext): string | undefined {
  const { ledger, policies, server, terms, cost } = context;
  if (ledger.policyBased || ledger.access.length > MOST_RULES) return undefined;
  const around: AccessContext = { ledger, policies, server, domains: [], terms, cost };
  if (!judgeAccess('read', 'ledger', caller, around).granted) return undefined;
  const rules = ledger.access.flatMap((rule, index) => ('policy' in rule ? [] : [{ index, rule: rule as Rule }]));
  const owners = { record: [], ledger: ledger.owners, domains: [] };
  const meets = ({ rule }: NumberedRule, who: Principal) => admits(rule, who, owners, cost);
  const rights = rightsFor(action, record, terms);
  const about = rules.filter(({ rule }) => rights.some((right) => isRuleAbout(rule, right)));
  const who = principalFor(action, 'ledger', caller);

  const bySignature = isRead(action) && about.find((one) => one.rule.signer && meets(one, asSigner(caller)));
  if (bySignature) return forReads(bySignature);
  const byToken = !caller.token && about.find((one) => one.rule.bearer && meets(one, asBearer(caller)));
  if (byToken) return forWrites(byToken);
  const byClaims = about.find((one) => one.rule.bearer && meets(one, asProvided(caller)));
  if (byClaims) return forClaims(byClaims);
  const atGate = decideAccess(action, record, caller, around).granted && !mayEnter(caller, around);
  if (atGate) return GATE_HINT;
  const withoutRecord = rules.find(
    (one) => record !== 'ledger' && one.rule.record === undefined && isAction(one.rule, rights) && meets(one, who),
  );
  return withoutRecord && forContent(withoutRecord, record);
}

function isAction({ action }: Rule, rights: readonly Right[]): boolean {
  return rights.some((right) => actionMatches(action, right.action));
}

function isRuleAbout(rule: Rule, right: Right): boolean {
  return (
    rule.record !== undefined && nameMatches(rule.record, right.record) && actionMatches(rule.action, right.action)
  );
}

/** The caller of a read, had it signed. */
function asSigner(caller: Caller): Principal {
  return caller.token ? { keys: tokenKeys(caller), token: caller.token } : { keys: [] };
}

/** The caller of a write, had its first key signed a token. */
function asBearer({ proofs: [key] }: Caller): Principal {
  return key ? { keys: [key], token: { key, claims: {} } } : { keys: [] };
}

/** The caller, had a provider made its token. */
function asProvided({ proofs, token }: Caller): Principal {
  return token && !token.isProvided ? { keys: proofs, token: { ...token, isProvided: true } } : { keys: [] };
}

const GATE_HINT =
  'Rules of the ledger grant this, but none lets the caller in: add one with "action": "access" for it, or "any" on "any".';

function forReads({ index }: NumberedRule): string {
  return (
    `access[${index}] of the ledger grants this by "signer", which signatures meet. A read carries a token only: add a rule ` +
    'with "bearer": {"$signer": {…}}.'
  );
}

function forWrites({ index }: NumberedRule): string {
  return (
    `access[${index}] of the ledger grants this by "bearer", which tokens meet. This request carries a signature only: add a ` +
    'rule with "signer".'
  );
}

function forClaims({ index }: NumberedRule): string {
  return (
    `access[${index}] of the ledger grants this by claims of "bearer", which count in tokens of providers only. A token that its ` +
    'bearer signed meets {"$signer": {…}}.'
  );
}

function forContent({ index }: NumberedRule, record: string): string {
  return (
    `access[${index}] of the ledger has no "record", and so is about the ledger's own record: add "record": "${record}", ` +
    'or "any".'
  );
}
