import { isObject, type Json, type JsonObject } from '@countersign/protocol';

/** Who asks, as far as it is known here. */
export interface Asker {
  readonly public: string;
  /** Handle of the signer record that was named, if one was. */
  readonly handle?: string;
  /** Whether the key is among the owners of the ledger; undefined where that is not known. */
  readonly isOwner?: boolean;
  /** Whether it is among those of the record; the same as of the ledger unless given. */
  readonly ownsRecord?: 'yes' | 'no' | 'unknown';
  /** Signers that are known to have the key; it may stand for others as well. */
  readonly handles?: readonly string[];
  /** Whether one of these is a member of a circle; undefined where that is not known. */
  readonly isMember?: (circle: string) => boolean | undefined;
}

/** What is asked for. */
export interface AskedAction {
  readonly action: string;
  /** As rules name it. */
  readonly record: string;
}

/** Where a rule stands; what its missing `record` means depends on that. */
export type RuleLevel = 'ledger' | 'record';

/**
 * Why a rule helps, or does not, in words: for people who look for their mistake. The server decides; this tells what of
 * a rule fits and what does not, as far as it can be seen from the rule itself.
 *
 * @returns undefined for a rule about something else altogether
 */
export function remarkOn(rule: Json, level: RuleLevel, asked: AskedAction, asker: Asker): string | undefined {
  if (!isObject(rule)) return undefined;
  if ('policy' in rule) return 'It refers to policies: see their values.';
  const isAction = coversName(rule.action, asked.action);
  const isRecord = coversRecord(rule, level, asked.record);
  const who = remarkOnPrincipal(rule, asked, asker);
  if (isAction && isRecord) return who;
  if (isAction && rule.record === undefined && level === 'ledger' && who === undefined) {
    return `It has no \`record\`: in the rules of a ledger it is about the ledger's own record only. Add "record": "${asked.record}" or "any".`;
  }
  if (isRecord && who === undefined && !isAction)
    return `It grants ${JSON.stringify(rule.action)}, not ${asked.action}.`;
  return undefined;
}

/** Whether `any`, a name, `$in` or `$nin` covers a name. */
export function coversName(given: Json | undefined, name: string): boolean {
  if (typeof given === 'string') return given === name || given === 'any';
  if (!isObject(given)) return false;
  const within = (list: Json | undefined) => Array.isArray(list) && (list.includes(name) || list.includes('any'));
  if (given.$in !== undefined && !within(given.$in)) return false;
  return given.$nin === undefined || !within(given.$nin);
}

function coversRecord({ record }: JsonObject, level: RuleLevel, name: string): boolean {
  if (record === undefined) return level === 'record' || name === 'ledger';
  return coversName(record, name);
}

/** What keeps the asker from meeting the rule; undefined when nothing is seen to. */
function remarkOnPrincipal(rule: JsonObject, { action }: AskedAction, asker: Asker): string | undefined {
  const named = rule.signer ?? (isObject(rule.bearer) ? rule.bearer.$signer : undefined);
  const matcher = isObject(named) ? named : {};
  // Whom it is for comes before what it is met by: who is another one is helped by neither.
  if (typeof matcher.public === 'string' && matcher.public !== asker.public) return 'It is for another key.';
  if (typeof matcher.handle === 'string' && matcher.handle !== asker.handle) {
    return `It is for the signer ${matcher.handle}: the key must stand for it (docs/interface/proofs.md).`;
  }
  const isRead = action === 'read' || action === 'query';
  if (isRead && rule.signer !== undefined && rule.bearer === undefined) {
    return 'It has `signer`, which is met by signatures. A read carries a token only: add a rule with "bearer": {"$signer": {…}}.';
  }
  if (matcher.$circle !== undefined) return `It is for members of ${JSON.stringify(matcher.$circle)}.`;
  if (matcher.$record !== undefined) return 'It is for owners of the record: the keys in its meta.owners.';
  if (matcher.$ledger !== undefined) return 'It is for owners of the ledger.';
  if (!isRead && rule.bearer !== undefined) {
    return 'It has `bearer`, which is met by a token. A signed write carries none: add a rule with "signer": {…}.';
  }
  return undefined;
}
