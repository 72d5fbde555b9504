import { isLuid, type Json, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import { authorize } from '../authorization/authorize.js';
import { reader } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { subjectOf } from '../authorization/context.js';
import { newItem } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { inSession } from '../ledgers/session.js';
import { changeFiltersOf } from '../lists/filters.js';
import { pageOf } from '../lists/page.js';
import { type Source, versionsIn, withBodies } from '../lists/page-bodies.js';
import { listText } from '../lists/text.js';
import type { Answer, Command } from '../records/command.js';
import { snapshot } from '../records/serve.js';
import { assertUnder, parentRecord, type Stored, storedRecord } from '../records/stored.js';
import type { Versioned } from '../store/queries/history.js';
import { missing, type Sized } from '../store/queries/version.js';
import { changeNumber } from './change-number.js';

/**
 * `GET /{kind}s/{id}/changes` (contract 01 §9): full snapshots, newest first, with `page.total`, which counts what matches
 * the filters.
 */
export async function listChanges(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const { token } = command;
  const page = pageOf(command.query);
  const filters = changeFiltersOf(kind, command.query);
  return inSession(session, async (session) => {
    const record = await readable(session, kind, command, token);
    const asked = { ...page, filters };
    const { total, changes } = session.checked(
      await session.store.lists.history(versioned(session.ledger, kind, record), asked),
    );
    const source: Source<Sized> = {
      ...versionsIn(session, kind),
      async itemOf(change) {
        await session.items.check(session.ledger, kind, change);
        return newItem(snapshot(kind, change) as unknown as Json);
      },
    };
    // Numbered from 1 without a gap: where one is missing, what is found below it is not at its place.
    const gap =
      filters.length > 0 ? -1 : changes.findIndex(({ change }, at) => change !== total - page.index * page.limit - at);
    if (gap >= 0)
      await source.itemOf({
        size: 0,
        ...missing({ luid: record.luid, change: total - page.index * page.limit - gap }),
      });
    return withBodies(session, source, page, changes, (items) => {
      return { status: 200, body: listText(session, session.ledger, items, { ...page, total }) };
    });
  });
}

/** `GET /{kind}s/{id}/changes/{change}` (contract 01 §9): the snapshot itself, no list around it. */
export async function readChange(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const { token } = command;
  const number = changeNumber(command.params.change ?? '');
  return inSession(session, async (session) => {
    const record = await readable(session, kind, command, token);
    const change = await session.lookupChange(versioned(session.ledger, kind, record), number);
    if (!change) throw new LedgerError('record.not-found', kind.missingChange ?? 'Change not found');
    return { status: 200, body: JSON.stringify(snapshot(kind, change)) };
  });
}

/**
 * The record whose history is asked for, after its own rules let the caller read it: the current version's, or the last
 * one's of a dropped record, which only its luid still names.
 */
async function readable(
  session: Session,
  kind: Kind,
  command: Command,
  token: Token | undefined,
): Promise<RecordEnvelope> {
  const { record, parent } = (await dropped(session, kind, command)) ?? (await storedRecord(session, kind, command));
  const subject = subjectOf(kind, record, parent);
  const caller = await reader(session, token);
  await authorize(session, caller, {
    action: 'read',
    kind,
    subject,
    conditions: await conditionsOf(session, caller, subject),
    ...(parent ? { parent } : {}),
  });
  return record;
}

async function dropped(
  session: Session,
  kind: Kind,
  command: Command,
): Promise<Pick<Stored, 'record' | 'parent'> | undefined> {
  const luid = command.params.id ?? '';
  if (!isLuid(luid, kind.prefix)) return undefined;
  const latest = await session.store.history.latest({ ledger: session.ledger.id, kind: kind.name, luid });
  if (!latest) throw notFound(kind);
  if (latest.action !== 'drop') return undefined;
  const record = JSON.parse(latest.body) as RecordEnvelope;
  const parent = await parentRecord(session, kind, command);
  if (parent) assertUnder(kind, record.data, parent);
  return parent ? { record, parent } : { record };
}

function versioned(ledger: Ledger, kind: Kind, record: RecordEnvelope): Versioned {
  return { ledger: ledger.id, kind: kind.name, luid: record.luid };
}
