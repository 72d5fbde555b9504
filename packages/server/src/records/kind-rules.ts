import { type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { limits } from '../limits.js';

/** Runs the kind's own checks of data, beyond its request schema. Throws what the kind throws. */
export async function checkData(
  kind: Kind,
  { ledger, task }: Pick<Session, 'ledger' | 'task'>,
  data: JsonObject,
  previous?: JsonObject,
): Promise<void> {
  await task.turn();
  await kind.data.check?.(data, previous, ledger.config, task);
}

/**
 * Bounds the state of a ledger, which every process loads as a whole after each change. Records in domains get only
 * part of it: otherwise a caller with rights in one domain could fill it, and keep the ledger from changing its own
 * rules.
 *
 * @param domain the one that the record is in
 * @throws `record.invalid` when the ledger would hold more than `limits.state`; for a record in a domain, more than
 *   `limits.stateForDomains`; for a new effect or schedule, when there are as many as there may be
 */
export function assertStateFits(
  kind: Kind,
  ledger: Ledger,
  domain: string | undefined,
  data: JsonObject,
  previous?: JsonObject,
): void {
  if (kind.access.part === undefined) return;
  if (kind.access.part === 'effects' && !previous) assertRoomForEffect(ledger, domain);
  if (isSchedule(kind, data) && !isSchedule(kind, previous)) assertScheduleFits(ledger, domain);
  const grows = JSON.stringify(data).length - (previous ? JSON.stringify(previous).length : 0);
  assertGrowthFits(kind, ledger, domain, grows);
}

/**
 * The same for a record that a proof makes longer by so many characters.
 *
 * @throws as `assertStateFits` does
 */
export function assertGrowthFits(kind: Kind, ledger: Ledger, domain: string | undefined, grows: number): void {
  if (kind.access.part === undefined) return;
  const most = domain === undefined ? limits.state : limits.stateForDomains;
  if (grows <= 0 || ledger.weight + grows <= most) return;
  const detail = `Policies, domains, schemas and effects of a ledger may hold ${most} characters together`;
  throw new LedgerError('record.invalid', domain === undefined ? detail : `${detail} when one in a domain is added`);
}

/**
 * Bounds the effects of a ledger. Of creates that are decided at the same moment, as many as one commit holds may go
 * beyond.
 */
function assertRoomForEffect({ effects }: Ledger, domain: string | undefined): void {
  const all = [...effects.values()].flat();
  const { count, inDomains } = limits.effects;
  if (all.length >= count) throw new LedgerError('record.invalid', `A ledger may have ${count} effects`);
  if (domain === undefined || all.filter((effect) => effect.domain !== undefined).length < inDomains) return;
  throw new LedgerError('record.invalid', `A ledger may have ${inDomains} effects in domains`);
}

function isSchedule({ access }: Kind, data: JsonObject | undefined): boolean {
  return access.part === 'policies' && data?.schema === 'schedule';
}

/** Each schedule makes work that no request waits for, every minute at most. */
function assertScheduleFits(ledger: Ledger, domain: string | undefined): void {
  const { policies, inDomains } = limits.schedules;
  const most = domain === undefined ? policies : inDomains;
  const held = [...ledger.policies.values()].filter(({ schema }) => schema === 'schedule').length;
  if (held < most) return;
  const detail = `A ledger may have ${most} schedule policies`;
  throw new LedgerError('record.invalid', domain === undefined ? detail : `${detail} when one in a domain is added`);
}
