import { LOG_BOUNDS } from './bounds.js';
import { LogError } from './fault.js';
import { type NoteKey, parseVkey } from './key.js';
import { boundedText, parseDecimal, refuseControls } from './text.js';

/** A witness of a policy. */
export interface PolicyWitness {
  readonly key: NoteKey;
  /** Where it takes checkpoints, if the policy says. */
  readonly url: string | undefined;
}

/** Witnesses and groups of which so many must have cosigned. */
export interface PolicyGroup {
  readonly threshold: number;
  readonly members: readonly string[];
}

/** Which logs are known, and whose cosignatures a checkpoint needs (C2SP tlog-policy). */
export interface Policy {
  readonly logs: readonly NoteKey[];
  /** By their names in the policy, which may differ from those of their keys. */
  readonly witnesses: ReadonlyMap<string, PolicyWitness>;
  /** By their names, each after its members. */
  readonly groups: ReadonlyMap<string, PolicyGroup>;
  /** The witness or group that is needed; undefined where none is. */
  readonly quorum: string | undefined;
}

interface PolicyDraft {
  readonly logs: NoteKey[];
  readonly witnesses: Map<string, PolicyWitness>;
  readonly groups: Map<string, PolicyGroup>;
  quorum: string | undefined;
  hasQuorum: boolean;
}

const NO_GROUP = 'none';
const COMMENT = /^#/;
const BLANKS = /[ \t]+/;

/** Reads what follows each keyword. */
const STATEMENT_READERS: Record<string, (draft: PolicyDraft, words: readonly string[]) => void> = {
  log: addLog,
  witness: addWitness,
  group: addGroup,
  quorum: setQuorum,
};

/**
 * Reads a policy. Its lines, in any order but each name after its own line:
 *
 * - `log <vkey> [<url>]`
 * - `witness <name> <vkey> [<url>]`
 * - `group <name> <number>|any|all <member>...`
 * - `quorum <name>|none`, exactly once
 *
 * Lines that are empty or begin with `#` are passed over.
 *
 * @throws LogError `malformed`, also for a name or a key that is there twice; `too-long`: over 64 KiB or 1000 lines
 */
export function parsePolicy(input: string | Uint8Array): Policy {
  const text = boundedText(input, LOG_BOUNDS.policy, 'a policy').replaceAll('\t', ' ');
  refuseControls(text, 'a policy');
  const lines = text.split('\n', LOG_BOUNDS.policyLines + 1);
  if (lines.length > LOG_BOUNDS.policyLines) {
    throw new LogError('too-long', `a policy has more than ${LOG_BOUNDS.policyLines} lines`);
  }
  const draft: PolicyDraft = { logs: [], witnesses: new Map(), groups: new Map(), quorum: undefined, hasQuorum: false };
  for (const line of lines) {
    const [keyword, ...words] = line.trim().split(BLANKS);
    if (keyword === '' || COMMENT.test(keyword!)) continue;
    if (!Object.hasOwn(STATEMENT_READERS, keyword!)) throw policyError(`has no statement ${keyword}`);
    STATEMENT_READERS[keyword!]!(draft, words);
  }
  if (!draft.hasQuorum) throw policyError('has no quorum');
  const { logs, witnesses, groups, quorum } = draft;
  return { logs, witnesses, groups, quorum };
}

/** Whether the witnesses of these names in the policy, having cosigned, are enough for it. */
export function isQuorumMet({ witnesses, groups, quorum }: Policy, cosigned: Iterable<string>): boolean {
  if (quorum === undefined) return true;
  const met = new Set([...cosigned].filter((name) => witnesses.has(name)));
  for (const [name, { threshold, members }] of groups) {
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
  }
  return met.has(quorum);
}

function addLog(draft: PolicyDraft, [vkey, _url, ...more]: readonly string[]): void {
  if (vkey === undefined || more.length > 0) throw policyError('has a log of another form');
  const key = parseVkey(vkey);
  if (key.use !== 'note') throw policyError('has a log whose key is for cosignatures');
  if (draft.logs.some(({ name, id }) => name === key.name && id === key.id)) throw policyError('has a log twice');
  draft.logs.push(key);
}

function addWitness(draft: PolicyDraft, [name, vkey, url, ...more]: readonly string[]): void {
  if (vkey === undefined || more.length > 0) throw policyError('has a witness of another form');
  const key = parseVkey(vkey);
  if (key.use !== 'cosignature') throw policyError('has a witness whose key is not for cosignatures');
  // One key under two names would count twice.
  const keys = [...draft.witnesses.values()].map((witness) => `${witness.key.publicKey}`);
  if (keys.includes(`${key.publicKey}`)) throw policyError('has the key of a witness twice');
  draft.witnesses.set(newName(draft, name!), { key, url });
}

function addGroup(draft: PolicyDraft, [name, count, ...members]: readonly string[]): void {
  if (members.length === 0) throw policyError('has a group without members');
  for (const member of members) refuseUnknown(draft, member);
  if (new Set(members).size < members.length) throw policyError('has a group with a member twice');
  draft.groups.set(newName(draft, name!), { threshold: thresholdOf(count!, members.length), members });
}

function setQuorum(draft: PolicyDraft, [name, ...more]: readonly string[]): void {
  if (name === undefined || more.length > 0 || draft.hasQuorum) throw policyError('has not one quorum of one name');
  if (name !== NO_GROUP) refuseUnknown(draft, name);
  draft.quorum = name === NO_GROUP ? undefined : name;
  draft.hasQuorum = true;
}

function thresholdOf(count: string, members: number): number {
  if (count === 'any') return 1;
  if (count === 'all') return members;
  const threshold = parseDecimal(count, 'the number of a group');
  if (threshold < 1 || threshold > members)
    throw policyError('has a group whose quorum is none, or more than its members');
  return threshold;
}

function newName({ witnesses, groups }: PolicyDraft, name: string): string {
  if (name === NO_GROUP || witnesses.has(name) || groups.has(name)) throw policyError(`has the name ${name} twice`);
  return name;
}

function refuseUnknown({ witnesses, groups }: PolicyDraft, name: string): void {
  if (!witnesses.has(name) && !groups.has(name)) throw policyError(`says nothing of ${name} before it is named`);
}

function policyError(why: string): LogError {
  return new LogError('malformed', `a policy ${why}`);
}
