import type { Ledger, RecordName, Signed } from '@countersign/client';
import {
  type AccessFinding,
  type AskedAction,
  type Asker,
  type Credential,
  coversName,
  explainAccess,
  type MatchVerdict,
  meets,
} from '@countersign/client/explain';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { readCircles } from './members.js';
import { circlesIn, readRules, rulesOfRecord } from './rules.js';

/** What somebody asks. */
export interface AccessQuestion {
  readonly kind: string;
  /** Of a record; undefined for records of the kind in general. */
  readonly id: string | undefined;
  /** Undefined for every one. */
  readonly action: string | undefined;
}

/** What is known of one action. */
export interface AccessAnswer {
  readonly action: string;
  readonly record: string;
  readonly verdict: MatchVerdict;
  /** Rules that grant it, or that might. */
  readonly rules: readonly JsonObject[];
}

/** The answers for a key, and whether it may enter the ledger. */
export interface AccessAnswers {
  readonly answers: readonly AccessAnswer[];
  readonly gate: MatchVerdict;
  /** Signers with the key, of a key that was asked for. */
  readonly handles?: readonly string[];
}

/** Actions that are of use on some kinds alone (interface/access#actions). */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  wallet: ['spend', 'limit'],
  symbol: ['issue', 'destroy'],
  circle: ['assign-signer', 'remove-signer'],
  intent: ['commit', 'abort'],
  effect: ['query-event', 'retry-event', 'activate'],
  bridge: ['query-event', 'retry-event', 'activate'],
  anchor: ['lookup'],
  ledger: ['access'],
};

/** Actions of requests that carry a token only (interface/access#reads-and-writes). */
const READS = ['read', 'query', 'query-event'];

/** The actions that may be asked for on a kind or a record of it, each with the record that it is on. */
export function actionsOn(kind: string, id?: string): readonly AskedAction[] {
  const general = kind === 'ledger' || id !== undefined ? [] : ['create', 'query'];
  const plain = [...general, 'read', 'update', ...(kind === 'ledger' ? [] : ['drop'])];
  return [
    ...[...plain, ...(FURTHER[kind] ?? []), ...(kind === 'ledger' ? [] : ['erase'])].map((action) => ({
      action,
      record: kind,
    })),
    { action: 'create', record: `${kind}-proof` },
  ];
}

/** Whether an action is of use on records of that name: those of few kinds are of none on others. */
export function isOfUse(action: string, record: string): boolean {
  const kinds = Object.keys(FURTHER).filter((kind) => FURTHER[kind]?.includes(action));
  return kinds.length === 0 || kinds.includes(record);
}

/** Asks the ledger about each action: it decides by the proofs of the question. */
export async function askLedger(client: Ledger, { kind, id }: AccessQuestion): Promise<AccessAnswers> {
  const gate = await client.record.check('access');
  const target = id === undefined ? client.record : client.kind(kind as RecordName);
  const answers: AccessAnswer[] = [];
  for (const { action, record } of actionsOn(kind, id)) {
    const options = id !== undefined && record === kind ? {} : { record };
    const given = [...(id === undefined ? [] : [id]), action, options];
    // Of the ledger's own record there is but one, and no id.
    const list = (await (target as { check(...args: unknown[]): Promise<unknown[]> }).check(...given)) as {
      readonly data: JsonObject;
    }[];
    const verdict = list.length > 0 ? 'yes' : 'no';
    answers.push({ action, record, verdict, rules: list.map(({ data }) => data) });
  }
  return { answers, gate: gate.length > 0 ? 'yes' : 'no' };
}

/** Asks the ledger about one action, and looks for what is missing. */
export function askWhy(
  client: Ledger,
  question: AccessQuestion & { action: string },
  asker: Asker,
): Promise<AccessFinding> {
  const { kind, id, action } = question;
  const target = { kind: (id === undefined ? 'ledger' : kind) as RecordName, id };
  return explainAccess(client, target, { action, record: kind }, asker);
}

/** Applies the rules that may be read to a key that nobody signs with here. */
export async function askRules(
  client: Ledger,
  ledger: Signed,
  question: AccessQuestion,
  key: string,
): Promise<AccessAnswers> {
  const { kind, id, action: only } = question;
  const { rules: placed } = await readRules(client, ledger);
  const record = await readTarget(client, ledger, question);
  const rules = [
    ...placed.map(({ rule }) => rule),
    ...(record && record !== ledger ? rulesOfRecord(record, kind) : []),
  ];
  const signers = await client.signers.list({ filter: { 'data.public': key }, limit: 20 }).page(0);
  const handles = signers.items.map(({ data }) => data.handle);
  const circles = await readCircles(client, circlesIn(rules));
  const asker: Asker = {
    public: key,
    handles,
    isOwner: isOwnerOf(ledger, key),
    ownsRecord: record === undefined ? 'unknown' : isOwnerOf(record, key) ? 'yes' : 'no',
    isMember: (circle) => {
      const members = circles.get(circle);
      if (!members) return undefined;
      if (members.handles.some((one) => handles.includes(one))) return true;
      return members.hasMore || handles.length === 0 ? undefined : false;
    },
  };
  const wanted = actionsOn(kind, id).filter(({ action }) => only === undefined || action === only);
  const met = (asked: AskedAction, credential: Credential) =>
    rules
      .filter((rule) => isAbout(rule, asked) && counts(rule, asked.action))
      .map((rule) => ({ rule, verdict: limited(rule, meets(rule, asker, credential)) }));
  const entries = [...met(GATE, 'signature'), ...met(GATE, 'token')];
  const gate = bestOf(entries);
  const answerOf = (asked: AskedAction): AccessAnswer => {
    const isRead = READS.includes(asked.action);
    const found = asked.action === 'access' ? entries : met(asked, isRead ? 'token' : 'signature');
    const best = bestOf(found);
    // What the rules of the ledger let everyone read needs no right to enter it.
    const isStopped = gate !== 'yes' && best === 'yes' && !isRead;
    const verdict = isStopped ? gate : best;
    return {
      ...asked,
      verdict,
      rules: found.filter((one) => one.verdict === best && best !== 'no').map(({ rule }) => rule),
    };
  };
  return { answers: wanted.map(answerOf), gate, handles };
}

const GATE: AskedAction = { action: 'access', record: 'ledger' };

function bestOf(found: readonly { readonly verdict: MatchVerdict }[]): MatchVerdict {
  return (['yes', 'unknown'] as const).find((one) => found.some(({ verdict }) => verdict === one)) ?? 'no';
}

/** Whether a rule is about what is asked: the right to update a record includes adding proofs, except to intents. */
function isAbout(rule: JsonObject, { action, record }: AskedAction): boolean {
  const isIt = (wanted: string, on: string) => coversAction(rule.action, wanted) && coversName(rule.record, on);
  const isProof = action === 'create' && record.endsWith('-proof') && record !== 'intent-proof';
  return isIt(action, record) || (isProof && isIt('update', record.slice(0, -'-proof'.length)));
}

/** Whether a rule of the ledger can grant an action at all: a read carries no signature. */
export function counts(rule: JsonObject, action: string): boolean {
  return !(READS.includes(action) && rule.signer !== undefined);
}

/** The record that is asked about; undefined for records of a kind in general. */
async function readTarget(client: Ledger, ledger: Signed, { kind, id }: AccessQuestion): Promise<Signed | undefined> {
  if (kind === 'ledger') return ledger;
  return id === undefined ? undefined : client.kind(kind as RecordName).get(id);
}

/** Whether a rule is about an action: `any` is not about erasing. */
export function coversAction(given: Json | undefined, action: string): boolean {
  if (action !== 'erase') return coversName(given, action);
  return given === 'erase' || (isObject(given) && Array.isArray(given.$in) && given.$in.includes('erase'));
}

/** Whether a rule is about some records only, which are not looked at here. */
export function isLimited({ filter, invoke }: JsonObject): boolean {
  return filter !== undefined || invoke !== undefined;
}

/** What a filter or a condition leaves open. */
function limited(rule: JsonObject, verdict: MatchVerdict): MatchVerdict {
  return verdict === 'yes' && isLimited(rule) ? 'unknown' : verdict;
}

function isOwnerOf({ meta }: Signed, key: string): boolean {
  return Array.isArray(meta.owners) && meta.owners.includes(key);
}
