import { hash as hashOf, isObject, type Json, type JsonObject } from '@countersign/protocol';
import { allowsMethod } from '../../bridges/traits.js';
import type { Session } from '../../ledgers/session.js';
import { type Claim, normalizeClaims } from './claims.js';
import type { Directory } from './directory.js';
import { makeEntryHandle } from './handles.js';
import type { CurrentRecord, Entry, IntentFailure, Named, Part, Side } from './plan.js';

const METHODS = { debit: 'debits', credit: 'credits' } as const;

/**
 * The calls that the entries of an intent take (interface/bridges#two-phases): one for each entry of a transfer whose wallet
 * has a bridge, or one for several that the bridge has grouped. What the traits of a bridge leave out is not called for: the
 * ledger applies those entries alone.
 *
 * @returns the calls, and the bridges that they rest on; a failure where a wallet names a bridge that is missing
 * @throws as turns of the session's task do
 */
export async function planParts(
  session: Session,
  directory: Directory,
  data: JsonObject,
  entries: readonly Entry[],
): Promise<{ readonly parts: readonly Part[]; readonly needs: readonly Named[] } | IntentFailure> {
  const claims = normalizeClaims(data);
  // Issues and destroys are the ledger's own affair.
  const called = entries.filter(({ bridge, claim }) => bridge !== undefined && claims[claim]!.action === 'transfer');
  if (called.length === 0) return { parts: [], needs: [] };
  const bridges = new Map<string, CurrentRecord>();
  for (const { bridge } of called) {
    const found = bridges.get(bridge!) ?? (await directory.bridge(bridge!));
    if (!found) return { reason: 'core.unexpected-error', detail: `Bridge ${bridge} not found` };
    bridges.set(bridge!, found);
  }
  const intent = { data, hash: hashOf(data, session.suite) };
  const parts: Part[] = [];
  for (const group of groupEntries(entries, called, bridges, claims)) {
    await session.task.turn();
    const part = makePart(session, entries, group);
    const { data: of } = bridges.get(part.bridge)!.record;
    const about = { ...describeEntry(part, entries, data), intent };
    const traits = Array.isArray(of.traits) ? { traits: of.traits } : {};
    if (allowsMethod(session.task, traits, METHODS[part.side], about)) parts.push(part);
  }
  const needs = [...bridges].map(([handle, { record, change }]): Named => {
    return { kind: 'bridge', handle, luid: record.luid, change };
  });
  return { parts, needs };
}

/** Entries that one call is made for together (interface/bridges#grouping), in the order of their first. */
function groupEntries(
  entries: readonly Entry[],
  called: readonly Entry[],
  bridges: ReadonlyMap<string, CurrentRecord>,
  claims: ReturnType<typeof normalizeClaims>,
): readonly (readonly Entry[])[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of called) {
    const { side, bridge, symbol, handle } = entry;
    const by = groupingOf(bridges.get(bridge!)!, side);
    const claim = claims[entry.claim]!;
    const address = side === 'debit' ? 'source' in claim && claim.source : 'target' in claim && claim.target;
    const grouped = by === 'wallet' ? entry.luid : by === 'address' && address ? address.handle : undefined;
    const key = grouped === undefined ? handle : JSON.stringify([side, bridge, symbol, grouped]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const first = ([entry]: readonly Entry[]) => entries.indexOf(entry!);
  return [...groups.values()].flatMap(splitUnsafe).sort((one, other) => first(one) - first(other));
}

/** A sum beyond what JSON numbers hold exactly is not asked for in one call. */
function splitUnsafe(group: readonly Entry[]): readonly (readonly Entry[])[] {
  const sum = group.reduce((total, { amount }) => total + BigInt(amount), 0n);
  return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? [group] : group.map((entry) => [entry]);
}

function groupingOf({ record }: CurrentRecord, side: Side): unknown {
  const { config } = record.data;
  return isObject(config) ? config[`${METHODS[side]}.claims.groupBy`] : undefined;
}

function makePart({ runtime }: Session, entries: readonly Entry[], group: readonly Entry[]): Part {
  const [first] = group;
  const { side, bridge } = first!;
  const handle = group.length === 1 ? first!.handle : makeEntryHandle(side, (bytes) => runtime.random(bytes));
  return { handle, side, bridge: bridge!, entries: group.map((entry) => entries.indexOf(entry)) };
}

/**
 * What a bridge is told of an entry, or of several that are grouped (interface/bridges#two-phases): all of the data but the
 * luid and the intent. Addresses are those of the claim, in object form. A group has many parties on its other side, so it
 * names none there.
 *
 * @param data of the intent
 */
export function describeEntry({ handle, side, entries: of }: Part, entries: readonly Entry[], data: JsonObject) {
  const claims = normalizeClaims(data);
  const grouped = of.map((index) => entries[index]!);
  const [first] = grouped;
  const claim = claims[first!.claim]!;
  const isGroup = grouped.length > 1;
  const own = addressOfClaim(claim, side === 'debit' ? 'source' : 'target');
  // Grouped by wallet, addresses may differ.
  const shared =
    isGroup && !grouped.every((one) => isAt(claims[one.claim]!, one, own)) ? { handle: first!.wallet } : own;
  return {
    handle,
    schema: side,
    source: side === 'debit' ? shared : isGroup ? null : addressOfClaim(claim, 'source'),
    target: side === 'credit' ? shared : isGroup ? null : addressOfClaim(claim, 'target'),
    symbol: isGroup ? { handle: first!.symbol } : (claim.symbol as unknown as Json),
    amount: grouped.reduce((sum, { amount }) => sum + amount, 0),
    inputs: grouped.map((one) => one.claim),
  };
}

function addressOfClaim(claim: Claim, name: 'source' | 'target'): Json {
  const address = (claim as { source?: unknown; target?: unknown })[name];
  return address === undefined ? null : (address as Json);
}

function isAt(claim: Claim, { side }: Entry, address: Json): boolean {
  const own = addressOfClaim(claim, side === 'debit' ? 'source' : 'target') as { handle: string };
  return own.handle === (address as { handle: string }).handle;
}
