import { isObject, type Json, type JsonObject, parseAddress, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { AccessPolicy, Subject } from '../access/context.js';
import { decide } from '../access/decide.js';
import { kindNamed } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';
import { eachBody } from '../store/queries/bodies.js';
import { stepsOfText } from '../work/task.js';
import { type Conditions, contextOf, subjectOf } from './context.js';

/** What a condition is judged on. */
interface Asking {
  readonly session: Session;
  readonly caller: Caller;
  /** As it is stored, or as a create would make it. */
  readonly subject: Subject;
  /** What an update would make of it. */
  readonly data?: JsonObject;
}

type Condition = (asking: Asking) => Promise<boolean>;

/** The conditions there are, by kind of record (contract 03 §8.2, `invoke`). */
const CONDITIONS: Readonly<Record<string, Readonly<Record<string, Condition>>>> = {
  intent: {
    'intent.canSpendEveryClaimWallet': (asking) => every(asking, 'spend', sources(claimsOf(asking.subject.data))),
    'intent.canReadAnyClaimWallet': (asking) => any(asking, 'read', parties(claimsOf(asking.subject.data))),
    'intent.canReadAnyClaimWalletInThread': async (asking) =>
      any(asking, 'read', parties(await claimsOfThread(asking))),
  },
  wallet: {
    'wallet.canSpendAllChangedRouteTargets': (asking) => every(asking, 'spend', changedTargets(asking)),
  },
};

/**
 * Judges the conditions that policies of the ledger ask of records of this kind; those that none asks cost nothing.
 *
 * @param data what an update would make of the record
 * @returns nothing when none is asked
 * @throws OutOfDate when the ledger's state is not the one wallets were found under
 */
export async function conditionsOf(
  session: Session,
  caller: Caller,
  subject: Subject,
  data?: JsonObject,
): Promise<Conditions | undefined> {
  const known = CONDITIONS[subject.kind];
  if (!known) return undefined;
  const names = [...invokedBy(session.ledger.policies)].filter((name) => Object.hasOwn(known, name));
  if (names.length === 0) return undefined;
  const asking = { session, caller, subject, ...(data ? { data } : {}) };
  const judged = await Promise.all(names.map(async (name) => ((await known[name]?.(asking)) ? name : undefined)));
  return (name) => judged.includes(name);
}

/** The names in the values of all policies. A ledger's policies are one map for as long as nothing about them changes. */
const invoked = new WeakMap<ReadonlyMap<string, AccessPolicy>, ReadonlySet<string>>();

function invokedBy(policies: ReadonlyMap<string, AccessPolicy>): ReadonlySet<string> {
  const known = invoked.get(policies);
  if (known) return known;
  const access = [...policies.values()].filter(({ schema }) => schema === 'access');
  const names = new Set(access.flatMap(({ values }) => values.flatMap(({ invoke = [] }) => invoke)));
  invoked.set(policies, names);
  return names;
}

async function every(asking: Asking, action: 'spend', addresses: readonly string[]): Promise<boolean> {
  const allowed = await Promise.all(addresses.map((address) => isAllowed(asking, action, address)));
  return !allowed.includes(false);
}

async function any(asking: Asking, action: 'read', addresses: readonly string[]): Promise<boolean> {
  const allowed = await Promise.all(addresses.map((address) => isAllowed(asking, action, address)));
  return allowed.includes(true);
}

/** Whether the caller may do that on the wallet the address leads to. An address that leads to none is not allowed. */
async function isAllowed({ session, caller }: Asking, action: string, address: string): Promise<boolean> {
  const wallet = await walletAt(session, address);
  if (!wallet) return false;
  await session.task.turn();
  return decide(action, 'wallet', caller, contextOf(session, wallet)).granted;
}

/** The first of the wallets an address may mean that exists (contract 04 §8). */
async function walletAt(session: Session, address: string): Promise<Subject | undefined> {
  const { schema, parent } = parseAddress(address) ?? {};
  const both = schema !== undefined && parent !== undefined ? [`${schema}@${parent}`] : [];
  const handles = [address, ...both, parent, schema].filter((handle) => handle !== undefined);
  const found = await Promise.all(handles.map((id) => session.lookup('wallet', id, 'handle')));
  const body = found.find((record) => record !== undefined)?.body;
  await session.task.turn(stepsOfText(body));
  return body === undefined ? undefined : subjectOf(kindNamed('wallet'), JSON.parse(body) as RecordEnvelope);
}

function claimsOf({ claims }: JsonObject): JsonObject[] {
  return Array.isArray(claims) ? claims.filter(isObject) : [];
}

/** The claims of every intent that came of the same one: intents of a client begin a thread of their own. */
async function claimsOfThread({ session, subject }: Asking): Promise<JsonObject[]> {
  const { thread } = subject.meta;
  if (thread === undefined) return claimsOf(subject.data);
  const filters = [{ path: 'meta.thread', operator: '$eq', values: [thread] }] as const;
  const query = { ledger: session.ledger.id, kind: 'intent', filters, limit: limits.thread, offset: 0 } as const;
  const { records } = session.checked(await session.store.find(query));
  const claims: JsonObject[] = [];
  for await (const body of eachBody(session.store.bodies, query, records)) {
    await session.task.turn(stepsOfText(body));
    claims.push(...claimsOf((JSON.parse(body) as RecordEnvelope).data));
  }
  return claims;
}

function sources(claims: readonly JsonObject[]): string[] {
  return distinct(claims.map(({ source }) => source));
}

function parties(claims: readonly JsonObject[]): string[] {
  return distinct(claims.flatMap(({ source, target }) => [source, target]));
}

/** Addresses, in whichever of their two forms they come (contract 00, String claims). */
function distinct(addresses: readonly (Json | undefined)[]): string[] {
  const handles = addresses.map((address) => (isObject(address) ? address.handle : address));
  return [...new Set(handles.filter((handle) => typeof handle === 'string'))];
}

/** Where money is led by routes that the wallet did not have before. */
function changedTargets({ subject, data = subject.data }: Asking): string[] {
  const before = new Set(subject.exists ? routesOf(subject.data).map((route) => JSON.stringify(route)) : []);
  const leading = routesOf(data).filter(({ action }) => action === 'forward' || action === 'debit');
  return distinct(leading.filter((route) => !before.has(JSON.stringify(route))).map(({ target }) => target));
}

function routesOf({ routes }: JsonObject): JsonObject[] {
  return Array.isArray(routes) ? routes.filter(isObject) : [];
}
