import { isLuid, type JsonObject } from '@countersign/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Right } from '../access/context.js';
import { journalLimits } from '../journal/journal-limits.js';
import type { Kind } from '../kinds/kind.js';
import type { RequestFacts } from '../ledgers/request-facts.js';
import type { Operation } from '../operations/operation.js';
import type { Answer } from '../records/command.js';
import type { HttpService } from './http-service.js';
import { senderOf } from './sender.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What its requests ask for; absent for routes of which the journal has none. */
    asks?: AskedRight;
  }
}

/** The right that an operation asks for. */
interface AskedRight extends Right {
  /** The same for the secrets of a record; absent for other operations. */
  readonly reveals?: string | undefined;
  /** Whether it changes something: the journal has it whatever comes of it. */
  readonly isWrite: boolean;
}

/** Actions of operations whose names differ from theirs. */
const ACTION_OF_OPERATION: Readonly<Record<string, string>> = {
  ...{ list: 'query', events: 'query-event', event: 'query-event', retry: 'retry-event', check: 'check' },
  ...{ changes: 'read', change: 'read', inclusion: 'read', asset: 'read', log: 'read', consistency: 'read' },
};

const WRITES: readonly string[] = ['create', 'update', 'drop', 'erase', 'proof', 'retry', 'activate'];

/** What an operation of a kind asks for, as its journal entries say it. */
export function rightOf({ name: kind, secrets }: Kind, { name, asks }: Operation): AskedRight {
  const isWrite = WRITES.includes(name);
  if (name === 'proof') return { action: 'create', record: `${kind}-proof`, isWrite };
  const right = asks ?? { action: ACTION_OF_OPERATION[name] ?? name, record: kind };
  return { ...right, isWrite, reveals: name === 'read' ? secrets.reveals : undefined };
}

/**
 * Has a request in the journal of its ledger, where that keeps one (interface/journal): a write, whatever came of it; a read that was
 * refused; and a read of secrets. Not a repeated write: whoever has seen its signed body can send it, as if its signer did. Called
 * once its answer is sent.
 */
export function journalAnswer(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): void {
  const { facts } = request;
  const { asks } = request.routeOptions.config;
  if (!facts?.isJournaled || facts.ledger === undefined || !asks) return;
  const isRefusedRead = facts.reason?.startsWith('auth.');
  const isWrite = asks.isWrite && answer.stored !== 'before';
  if (!isWrite && facts.revealed === undefined && !isRefusedRead) return;
  const ledger = service.ledgers.find(facts.ledger);
  // A ledger of which an operator has stopped everything stores nothing.
  if (!ledger || ledger.isReadOnly || ledger.suspension?.level === 'all') return;
  try {
    service.journal.add(ledger, describeRequest(service, { request, reply, facts, asks }, answer));
  } catch (err) {
    request.log.error({ err }, 'a request could not be described in the journal of its ledger');
  }
}

interface Answered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly facts: RequestFacts;
  readonly asks: AskedRight;
}

function describeRequest({ runtime }: HttpService, answered: Answered, { status, change, stored }: Answer) {
  const { request, reply, facts, asks } = answered;
  const { who, sent, reason, revealed } = facts;
  const now = runtime.now();
  const { record, action } = revealed === undefined ? asks : { record: asks.reveals ?? asks.record, action: 'reveal' };
  const params: JsonObject = {
    method: request.method,
    url: describeUrl(request, revealed ?? change?.luid),
    headers: describeHeaders(request),
    ...(sent && Object.keys(sent).length > 0 ? { body: JSON.stringify(sent) } : {}),
    from: senderOf(request.ip),
    ...(who?.key === undefined ? {} : { key: who.key }),
    ...(who?.isFactor ? { isFactor: true } : {}),
    moment: new Date(now - Math.round(reply.elapsedTime)).toISOString(),
  };
  const done = change && { luid: change.luid, meta: { change: change.number } };
  const body = reason === undefined ? done : { data: { reason } };
  const result = { status, ...(body ? { body: JSON.stringify(body) } : {}), moment: new Date(now).toISOString() };
  const isStored = asks.isWrite && status < 400 && stored === undefined;
  return { record, action, signer: who?.signer, isStored, params, result };
}

/** The path, without names of records: luids stay when a record is erased, and handles do not. */
function describeUrl({ routeOptions: { url = '' }, params }: FastifyRequest, luid: string | undefined): string {
  const given = params as Readonly<Record<string, string | undefined>>;
  return url.replace(/:(\w+)/g, (_, name: string) => {
    const value = given[name] ?? '';
    if (isLuid(value) || (name === 'change' && /^\d{1,10}$/.test(value))) return value;
    return name === 'id' && luid !== undefined ? luid : `{${name}}`;
  });
}

function describeHeaders({ id, headers }: FastifyRequest): JsonObject {
  const shown: JsonObject = { 'x-request-id': id };
  for (const name of ['content-type', 'user-agent'] as const) {
    const value = headers[name];
    if (value !== undefined) shown[name] = value.slice(0, journalLimits.header);
  }
  if (headers.authorization !== undefined) shown.authorization = '[REDACTED]';
  return shown;
}
