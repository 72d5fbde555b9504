import { randomBytes } from 'node:crypto';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { UNBOUNDED } from '../../src/metering/task.js';
import type { Directory } from '../../src/money/plan/directory.js';
import type { CurrentRecord } from '../../src/money/plan/plan.js';
import { type Resolution, type Resolved, resolveIntent } from '../../src/money/plan/resolve.js';

/** A directory of wallets and symbols by handle, and what was looked up in it. */
export interface TestDirectory extends Directory {
  readonly looked: string[];
}

/** @param wallets what their data holds beside the handle */
export function makeDirectory(wallets: Readonly<Record<string, JsonObject>>, symbols = ['usd', 'eur']): TestDirectory {
  const looked: string[] = [];
  const look = async (
    kind: string,
    handle: string,
    data: JsonObject | undefined,
  ): Promise<CurrentRecord | undefined> => {
    looked.push(`${kind} ${handle}`);
    return data && { record: makeRecord(`$${kind}.${handle}`, { handle, ...data }), change: 3 };
  };
  return {
    looked,
    wallet: (handle) => look('wlt', handle, Object.hasOwn(wallets, handle) ? wallets[handle] : undefined),
    symbol: (handle) => look('sym', handle, symbols.includes(handle) ? {} : undefined),
    bridge: (handle) => look('brg', handle, {}),
  };
}

function makeRecord(luid: string, data: JsonObject): RecordEnvelope {
  return { hash: '', data, luid, meta: { proofs: [], moment: '', owners: [] } } as RecordEnvelope;
}

/** Resolves an intent `i` with these claims. */
export function resolve(claims: readonly JsonObject[], directory: Directory, more: JsonObject = {}) {
  return resolveIntent({ handle: 'i', claims: [...claims], ...more }, directory, randomBytes, UNBOUNDED);
}

/** What was resolved, which must be all. */
export function resolved(resolution: Resolution): Resolved {
  if ('failure' in resolution) throw new Error(resolution.failure.detail);
  return resolution;
}

/** The detail of a failure that must be one of routing. */
export function routingFailure(resolution: Resolution): string {
  if (!('failure' in resolution)) throw new Error('It was resolved.');
  if (resolution.failure.reason !== 'core.routing-failed') throw new Error(resolution.failure.reason);
  return resolution.failure.detail;
}

const usd = { symbol: { handle: 'usd' }, amount: 7 };

export function transfer(source: string, target: string, more: JsonObject = {}): JsonObject {
  return { action: 'transfer', source: { handle: source }, target: { handle: target }, ...usd, ...more };
}

export function issue(target: string, more: JsonObject = {}): JsonObject {
  return { action: 'issue', target: { handle: target }, ...usd, ...more };
}

export function destroy(source: string, more: JsonObject = {}): JsonObject {
  return { action: 'destroy', source: { handle: source }, ...usd, ...more };
}

export function limit(wallet: string, more: JsonObject = {}): JsonObject {
  return { action: 'limit', wallet: { handle: wallet }, metric: 'minBalance', ...usd, ...more };
}

/** The data of a wallet that leads on to others in turn. */
export function routes(...all: readonly JsonObject[]): JsonObject {
  return { routes: [...all] };
}
