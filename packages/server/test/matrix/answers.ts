import { expect } from 'vitest';
import { type Route, recordRoutes } from '../../src/http/routes.js';
import { finalStatuses } from '../../src/kinds/erasable.js';
import type { Kind } from '../../src/kinds/kind.js';
import type { TestAnswer } from '../support/client.js';
import { NO_DELIVERY } from './requests.js';
import { CALLERS, type Caller } from './tenant.js';

/** Operations on deliveries, each with the action that it asks for. */
const ON_DELIVERIES: Readonly<Record<string, string>> = {
  events: 'query-event',
  event: 'query-event',
  retry: 'retry-event',
  activate: 'activate',
};

/** Operations on the journal of requests, which has a right of its own. */
const OF_JOURNAL: readonly string[] = ['requests', 'request'];

/** What a route says to who has no right to it: circle signers are judged by their circle, proofs have their own names. */
function refusal({ kind, operation }: Route): string {
  if (operation.name === 'proof')
    return kind.name === 'intent' ? 'Missing permissions' : `Cannot create ${kind.name}-proof.`;
  const { asks } = operation;
  if (asks) return `Cannot ${asks.action} ${asks.record}.`;
  const list = kind.access.rightsOnParent ? 'read' : 'query';
  const action = { changes: 'read', change: 'read', inclusion: 'read', asset: 'read', list, ...ON_DELIVERIES }[
    operation.name
  ];
  const asked = action ?? operation.name;
  const { rightsOnParent } = kind.access;
  const { under } = kind.links;
  if (!rightsOnParent || !under || !(asked in rightsOnParent)) return `Cannot ${asked} ${kind.name}.`;
  return `Cannot ${rightsOnParent[asked as keyof typeof rightsOnParent]} ${under.kind}.`;
}

/**
 * Whether everyone is let into the ledger, so that only the rules about records stand between them
 * (interface/access#gate).
 */
export type Gate = 'closed' | 'open';

/**
 * What interface/access#refusals, interface/tokens#refused-tokens promise a caller on a route; a number alone for what is
 * let through.
 */
export function promised(route: Route, who: Caller, gate: Gate = 'closed', path = ''): string {
  const { kind, operation, method } = route;
  const reads = method === 'GET';
  // By a rule of the server everyone may read the record of a ledger (interface/access#levels).
  const open = kind.name === 'ledger' && reads && !OF_JOURNAL.includes(operation.name);
  if (who === 'bad') return '401 Invalid token.';
  if (who === 'none' && !reads)
    return operation.name === 'proof' ? '422 shape' : '422 Ledger mutations must be signed.';
  if (open || operation.name === 'check') return '200';
  // Who is let in may ask for any list, and is shown what it may read: nothing (interface/access#lists).
  const lists = operation.name === 'list' || operation.asks?.action === 'query';
  if (gate === 'open' && lists && !kind.access.rightsOnParent) return '200';
  if (who === 'none') return '401 Missing token: send one in the header authorization; a write may be signed instead.';
  // An intent is erased by its luid alone, and asked for by its handle here (interface/records#erase).
  if (operation.name === 'erase' && finalStatuses(kind).length > 0 && !path.includes('$'))
    return '404 Intent not found';
  // `any` grants all but this (interface/access#actions).
  if (operation.name === 'erase') return `403 ${refusal(route)}`;
  if (who === 'owner' || who === 'member') return success(route);
  if (who === 'reader' && reads && !(operation.name in ON_DELIVERIES)) return success(route);
  return `403 ${refusal(route)}`;
}

function success({ kind, operation }: Route): string {
  // The report has none.
  if (operation.name === 'asset') return '404 Asset a not found';
  if (operation.name === 'request') return '404 Request not found';
  if (operation.name === 'create') return String(kind.trail.answer ?? 201);
  if (operation.name === 'event') return `404 Event delivery '${NO_DELIVERY}' not found`;
  return { drop: '204', retry: '202', activate: '202' }[operation.name] ?? '200';
}

/** An answer in the same words. */
export function told({ status, body }: TestAnswer): string {
  if (status < 300) return String(status);
  const detail: string = body.data.detail.replace(/ on ledger '.*'$/, '');
  return status === 422 && detail.startsWith('Schema validation error') ? '422 shape' : `${status} ${detail}`;
}

/** Whether the caller may see what the record holds, on that route. What an address leads to is not shown itself, and this wallet holds nothing. */
export function maySee(route: Route, who: Caller): boolean {
  const { name } = route.operation;
  const others = ['balances', 'limits', 'inclusion', 'log', 'consistency', ...OF_JOURNAL];
  const hasRecord = route.of !== 'address' && !(name in ON_DELIVERIES) && !others.includes(name);
  return route.method === 'GET' && hasRecord && promised(route, who, 'closed') === '200';
}

export function expectNoLeak(answer: TestAnswer, canary: string, what: string): void {
  const headers = JSON.stringify([...answer.headers]);
  expect(`${answer.text} ${headers}`.includes(canary), `${what} leaks`).toBe(false);
}

/** The routes of a kind. */
export const routesOf = (kind: Kind) => recordRoutes().filter((route) => route.kind === kind);

/** Everyone who may not change anything, so that one record serves them all. */
export const REFUSED = CALLERS.filter((who) => who !== 'owner' && who !== 'member');
