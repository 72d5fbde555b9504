import { isLuid, type JsonObject } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import type { Ledger } from '../ledgers/ledger.js';
import { newSubject, subjectOf } from '../records/context.js';
import { joinedDomain } from '../records/domain.js';
import type { Stored } from '../records/stored.js';
import { type Action, type Aspect, aspectFor, declares } from './aspect.js';
import type { Forwarding } from './call.js';

/** A record that a bridge is asked about. */
export interface Target {
  readonly aspect: Aspect;
  /** What access to it is decided on. Of a record that only the bridge has, no more is known than its name. */
  readonly subject: Subject;
  /** Its name in the path at the bridge. */
  readonly id: string;
}

/** Whether the bridge alone keeps the record: then nothing of what the ledger may have of it counts (contract 02 §4). */
export function isProxied(target: Target | undefined): target is Target {
  return target?.aspect.strategy === 'proxy';
}

/**
 * The record of a request, where policies hand the action on it to a bridge.
 *
 * @param found the ledger's own; none where at most the bridge has it
 * @param data what an update would make of a record that only the bridge has
 * @throws `forward.unexpected-error` when several do
 */
export function targetOf(
  ledger: Ledger,
  { kind, request }: Forwarding,
  action: Action,
  found: Stored | undefined,
  data?: JsonObject,
): Target | undefined {
  if (!kind.forwards || !declares(ledger, action)) return undefined;
  const id = found ? String(found.record.data.handle) : (request.params.id ?? '');
  const name = isLuid(id, kind.prefix) ? {} : { handle: id };
  const domain = joinedDomain(ledger, name, { signed: [], partial: [] });
  const subject = found ? subjectOf(kind, found.record) : newSubject(kind, name, [], domain);
  const aspect = aspectFor(ledger, kind, action, request, data && !found ? { ...subject, data } : subject);
  return aspect && { aspect, subject, id };
}
