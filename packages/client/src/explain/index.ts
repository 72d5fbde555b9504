export { type AccessFinding, explainAccess, nearRules } from './finding.js';
export { forWhom } from './for-whom.js';
export { type ExplainedRule, findGrantingRules, type StandingRule, textOfGranting } from './granting.js';
export { lostRights } from './lock-out.js';
export { type Credential, type MatchVerdict, meets } from './matching.js';
export { type AskedAction, type Asker, coversName, type RuleLevel } from './rule.js';
export { collectStandingRules, rulesIn } from './standing-rules.js';
