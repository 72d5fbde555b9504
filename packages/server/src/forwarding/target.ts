import { isLuid, type JsonObject } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import { newSubject, subjectOf } from '../authorization/context.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Cost } from '../metering/cost.js';
import type { HandedAction } from '../operations/stage.js';
import { joinedDomain } from '../records/domain.js';
import type { Stored } from '../records/stored.js';
import { type Aspect, aspectsFor, declares, onlyOne } from './aspect.js';
import type { Forwarding } from './call.js';

/** A record that a bridge is asked about. */
export interface Target {
  /** More than one where policies are at fault, which is told by `aspectOf`. */
  readonly aspects: readonly Aspect[];
  /**
   * The bridge alone keeps the record: then nothing of what the ledger may have of it counts
   * (interface/forwarding#access-to-anchors-of-a-bridge).
   */
  readonly proxied: boolean;
  /**
   * What access to a record of the bridge is decided on before it has answered: no more than the name is known. What the
   * ledger has under that name is another record, which whoever may create anchors has written.
   */
  readonly subject: Subject;
  /** Its name in the path at the bridge. */
  readonly id: string;
}

/**
 * How the record is handed to a bridge. Asked after access has been granted.
 *
 * @throws `forward.unexpected-error` when policies have several ways
 */
export function aspectOf({ aspects }: Target): Aspect {
  const aspect = onlyOne(aspects);
  if (!aspect) throw new Error('A target has an aspect.');
  return aspect;
}

/**
 * The record of a command, where policies hand the action on it to a bridge.
 *
 * @param cost charged for every aspect that is looked at
 * @param found the ledger's own; none where at most the bridge has it
 * @param data what an update would make of a record that only the bridge has
 */
export function targetOf(
  cost: Cost,
  ledger: Ledger,
  { kind, command }: Forwarding,
  action: HandedAction,
  found: Stored | undefined,
  data?: JsonObject,
): Target | undefined {
  if (!declares(ledger, kind, action)) return undefined;
  const id = found ? String(found.record.data.handle) : (command.params.id ?? '');
  const subject = bridgedSubject(ledger, kind, isLuid(id, kind.prefix) ? {} : { handle: id }, 'name');
  const routed = found ? subjectOf(kind, found.record, found.parent) : data ? { ...subject, data } : subject;
  const aspects = aspectsFor(cost, ledger, kind, action, command, routed);
  if (aspects.length === 0) return undefined;
  return { aspects, proxied: aspects.some(({ strategy }) => strategy === 'proxy'), subject, id };
}

/** A record that a bridge has, as far as is known of it: without rules or owners, in the domain that its handle says. */
export function bridgedSubject(
  ledger: Ledger,
  kind: Kind,
  data: JsonObject,
  known: NonNullable<Subject['known']>,
): Subject {
  const domain = joinedDomain(ledger, kind, data, { signed: [], partial: [] });
  return { ...newSubject(kind, data, [], domain), known };
}
