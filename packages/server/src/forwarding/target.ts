import { isLuid, type JsonObject } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import { newSubject, subjectOf } from '../authorization/context.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Cost } from '../metering/cost.js';
import type { HandoverAction } from '../operations/stage.js';
import { resolveDomain } from '../records/domain.js';
import type { StoredRecord } from '../records/stored-record.js';
import { type Aspect, aspectsFor, declares, onlyOne } from './aspect.js';
import type { Forwarding } from './call.js';

/** A record in a call to a bridge. */
export interface ForwardingTarget {
  /** Several where policies conflict, which `aspectOf` refuses. */
  readonly aspects: readonly Aspect[];
  /**
   * The bridge alone keeps the record: what the ledger may have under its name is ignored
   * (interface/forwarding#access-to-anchors-of-a-bridge).
   */
  readonly proxied: boolean;
  /**
   * The subject of access before the bridge has answered: only its name is known. What the ledger has under that name
   * is another record, which any caller with the right to create anchors may have written.
   */
  readonly subject: Subject;
  /** Its name in the path at the bridge. */
  readonly id: string;
}

/**
 * How the record is handed over to a bridge. Called after access has been granted.
 *
 * @throws `forward.unexpected-error` when policies have several ways
 */
export function aspectOf({ aspects }: ForwardingTarget): Aspect {
  const aspect = onlyOne(aspects);
  if (!aspect) throw new Error('A target has an aspect.');
  return aspect;
}

/**
 * The record of a command, where policies hand the action on it over to a bridge; else undefined.
 *
 * @param cost charged for every aspect that is looked at
 * @param found the ledger's own record; undefined where at most the bridge has it
 * @param data what an update would make of a record that only the bridge has
 */
export function findForwarding(
  cost: Cost,
  ledger: Ledger,
  { kind, command }: Forwarding,
  action: HandoverAction,
  found: StoredRecord | undefined,
  data?: JsonObject,
): ForwardingTarget | undefined {
  if (!declares(ledger, kind, action)) return undefined;
  const id = found ? String(found.record.data.handle) : (command.params.id ?? '');
  const subject = makeBridgeSubject(ledger, kind, isLuid(id, kind.prefix) ? {} : { handle: id }, 'name');
  const routed = found ? subjectOf(kind, found.record, found.parent) : data ? { ...subject, data } : subject;
  const aspects = aspectsFor(cost, ledger, kind, action, command, routed);
  if (aspects.length === 0) return undefined;
  return { aspects, proxied: aspects.some(({ strategy }) => strategy === 'proxy'), subject, id };
}

/** What is known of a bridge's record: its rules and owners are empty, its domain follows from its handle. */
export function makeBridgeSubject(
  ledger: Ledger,
  kind: Kind,
  data: JsonObject,
  known: NonNullable<Subject['known']>,
): Subject {
  const domain = resolveDomain(ledger, kind, data, { signed: [], partial: [] });
  return { ...newSubject(kind, data, [], domain), known };
}
