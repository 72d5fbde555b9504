import { isLuid, type Json, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import { notFound } from '../kinds/refusal.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { Versioned } from '../store/queries/history.js';
import { missing, type Sized } from '../store/queries/version.js';
import { assertCurrent, onCurrent } from '../ledgers/attempt.js';
import { authorize } from '../authorization/authorize.js';
import { reader } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { subjectOf } from '../authorization/context.js';
import { changeFiltersOf } from '../lists/filters.js';
import { newItem } from '../lists/items.js';
import { pageOf } from '../lists/page.js';
import { type Source, versionsIn, withBodies } from '../lists/page-bodies.js';
import { type Answer, authenticate, changeNumber, type Request } from './request.js';
import { listText, snapshot } from '../records/serve.js';
import { assertUnder, parentRecord, type Stored, storedRecord } from '../records/stored.js';

/**
 * `GET /{kind}s/{id}/changes` (contract 01 §9): full snapshots, newest first, with `page.total`, which counts what matches
 * the filters.
 */
export async function listChanges(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const token = await authenticate(service, ledger, request, undefined);
  const page = pageOf(request.query);
  const filters = changeFiltersOf(kind, request.query);
  return onCurrent(service, ledger, async (current) => {
    const record = await readable(service, current, kind, request, token);
    const asked = { ...page, filters };
    const { version, total, changes } = await service.store.lists.history(versioned(current, kind, record), asked);
    assertCurrent(current, version);
    const source: Source<Sized> = {
      ...versionsIn(service, current, kind),
      async itemOf(change) {
        await service.items.check(current, kind, change);
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
    return withBodies(service, source, page, changes, (items) => {
      return { status: 200, body: listText(service, current, items, { ...page, total }) };
    });
  });
}

/** `GET /{kind}s/{id}/changes/{change}` (contract 01 §9): the snapshot itself, no list around it. */
export async function readChange(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const token = await authenticate(service, ledger, request, undefined);
  const number = changeNumber(request.params.change ?? '');
  return onCurrent(service, ledger, async (current) => {
    const record = await readable(service, current, kind, request, token);
    const { version, change } = await service.store.history.one(versioned(current, kind, record), number);
    assertCurrent(current, version);
    if (!change) throw new LedgerError('record.not-found', kind.missingChange ?? 'Change not found');
    return { status: 200, body: JSON.stringify(snapshot(kind, change)) };
  });
}

/**
 * The record whose history is asked for, after its own rules let the caller read it: the current version's, or the last
 * one's of a dropped record, which only its luid still names.
 */
async function readable(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  request: Request,
  token: Awaited<ReturnType<typeof authenticate>>,
): Promise<RecordEnvelope> {
  const { record, parent } =
    (await dropped(service, ledger, kind, request)) ?? (await storedRecord(service, ledger, kind, request));
  const subject = subjectOf(kind, record, parent);
  const caller = await reader(service, ledger, token);
  await authorize(service, ledger, caller, {
    action: 'read',
    kind,
    subject,
    conditions: await conditionsOf(service, ledger, caller, subject),
    ...(parent ? { parent } : {}),
  });
  return record;
}

async function dropped(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  request: Request,
): Promise<Pick<Stored, 'record' | 'parent'> | undefined> {
  const luid = request.params.id ?? '';
  if (!isLuid(luid, kind.prefix)) return undefined;
  const latest = await service.store.history.latest({ ledger: ledger.id, kind: kind.name, luid });
  if (!latest) throw notFound(kind);
  if (latest.action !== 'drop') return undefined;
  const record = JSON.parse(latest.body) as RecordEnvelope;
  const parent = await parentRecord(service, ledger, kind, request);
  if (parent) assertUnder(kind, record.data, parent);
  return parent ? { record, parent } : { record };
}

function versioned(ledger: Ledger, kind: Kind, record: RecordEnvelope): Versioned {
  return { ledger: ledger.id, kind: kind.name, luid: record.luid };
}
