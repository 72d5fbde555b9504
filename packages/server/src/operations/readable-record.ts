import { isLuid, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import { authorize } from '../authorization/authorize.js';
import { callerOfRead } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { subjectOf } from '../authorization/context.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { Command } from '../records/command.js';
import { assertUnder, getParent, getRecord, type StoredRecord } from '../records/stored-record.js';
import type { Versioned } from '../store/queries/history.js';

/** A record whose history may be read. */
export interface Readable {
  readonly record: RecordEnvelope;
  /** Number of the change that says that it was erased; absent for all others. */
  readonly erasedBy?: number;
}

/**
 * The record whose history is requested, once its rules let the caller read it: those of the current version or, for a
 * dropped record, which is found by luid only, of the last one. Of an erased record only the rules around it are left.
 */
export async function readableRecord(
  session: Session,
  kind: Kind,
  command: Command,
  token: Token | undefined,
): Promise<Readable> {
  const { record, parent, erasedBy } = await findReadable(session, kind, command);
  const subject = subjectOf(kind, record, parent);
  const caller = await callerOfRead(session, token);
  await authorize(session, caller, {
    action: 'read',
    kind,
    subject,
    // Of an erased record nothing is left that a condition could hold for.
    conditions: erasedBy === undefined ? await conditionsOf(session, caller, subject) : undefined,
    parent,
  });
  return erasedBy === undefined ? { record } : { record, erasedBy };
}

type FoundRecord = Pick<StoredRecord, 'record' | 'parent'> & Pick<Readable, 'erasedBy'>;

async function findReadable(session: Session, kind: Kind, command: Command): Promise<FoundRecord> {
  return (await findDropped(session, kind, command)) ?? (await getRecord(session, kind, command));
}

async function findDropped(session: Session, kind: Kind, command: Command): Promise<FoundRecord | undefined> {
  const luid = command.params.id ?? '';
  if (!isLuid(luid, kind.prefix)) return undefined;
  const latest = await session.store.history.latest({ ledger: session.ledger.id, kind: kind.name, luid });
  if (!latest) throw notFound(kind);
  if (latest.action !== 'drop' && latest.action !== 'erase') return undefined;
  const record = readJson(latest.body) as RecordEnvelope;
  if (latest.action === 'erase') return { record, erasedBy: latest.change };
  const parent = await getParent(session, kind, command);
  if (parent) assertUnder(kind, record.data, parent);
  return parent ? { record, parent } : { record };
}

export function toVersioned(ledger: Ledger, kind: Kind, record: RecordEnvelope): Versioned {
  return { ledger: ledger.id, kind: kind.name, luid: record.luid };
}
