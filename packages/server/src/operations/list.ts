import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Context, Subject } from '../access/context.js';
import { decide, judgeQuery, visible } from '../access/decide.js';
import { refusal } from '../access/refusal.js';
import { aspectsFor, onlyOne } from '../forwarding/aspect.js';
import type { Forwarding } from '../forwarding/call.js';
import { forwardedPage } from '../forwarding/read.js';
import { bridgedSubject } from '../forwarding/target.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { Filter } from '../store/queries/filter.js';
import type { Indexed, Place } from '../store/queries/list.js';
import { stepsOfText } from '../work/task.js';
import { assertCurrent, onCurrent } from '../ledgers/attempt.js';
import { authorize } from '../authorization/authorize.js';
import { reader } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { type Conditions, contextOf, domainOfRecord, subjectOf } from '../authorization/context.js';
import { filtersOf } from '../lists/filters.js';
import type { Item } from '../lists/items.js';
import { indexedSubject } from '../records/judged.js';
import { type PageQuery, pageOf } from '../lists/page.js';
import { type Shown, versionsIn, withBodies } from '../lists/page-bodies.js';
import { type Answer, authenticate, type Request } from './request.js';
import { listText } from '../records/serve.js';
import { type Parent, parentRecord } from '../records/stored.js';
import { createUnjudged } from '../lists/unjudged.js';
import { visiblePage } from '../lists/visible-page.js';

/**
 * `GET /{kind}s` (contract 01 §10): newest change first; what the caller may not read is left out before paging. Policies
 * may have a bridge answer instead, always or when the ledger itself has nothing to show (contract 02 §4).
 */
export async function list(service: Service, ledger: Ledger, kind: Kind, request: Request): Promise<Answer> {
  const token = await authenticate(service, ledger, request, undefined);
  const page = pageOf(request.query);
  const filters = filtersOf(kind, request.query);
  const forwarding: Forwarding = { kind, request, asked: {} };
  return onCurrent(service, ledger, async (current) => {
    const caller = await reader(service, current, token);
    const parent = await parentRecord(service, current, kind, request);
    if (parent && kind.rightsOnParent) {
      await authorize(service, current, caller, {
        action: 'read',
        kind,
        subject: subjectOf(parent.kind, parent.record),
        parent,
      });
    } else {
      await service.task.turn();
      const judgement = judgeQuery(kind.name, caller, contextOf(service, current));
      service.explain?.({ ledger: current.handle, action: 'query', record: kind.name, ...judgement });
      if (!judgement.granted) throw refusal('query', kind.name, { credentials: token !== undefined });
    }
    const within = parent ? [...filters, under(kind, parent)] : filters;
    await service.task.turn();
    const everything = kind.rightsOnParent ?? everythingIsVisible(kind, caller, contextOf(service, current));
    const local = (of: PageQuery): Promise<readonly Shown[]> =>
      everything
        ? wholePage(service, current, kind, within, of)
        : pageOfVisible(service, current, kind, within, of, caller, parent);
    const aspect = onlyOne(aspectsFor(service.task, current, kind, 'query', request));
    const own = aspect?.strategy === 'proxy' ? [] : await local(page);
    const bridged = aspect && own.length === 0 && (aspect.strategy === 'proxy' || (await isEmpty(local, page)));
    const answer = (items: readonly Item[]) => ({ status: 200, body: listText(service, current, items, page) });
    if (bridged) {
      const seen = async (data: JsonObject) => {
        await service.task.turn();
        return isShown(service, current, kind, caller, bridgedSubject(current, kind, data, 'data'));
      };
      const items = await forwardedPage(service, current, forwarding, aspect, page, seen);
      await service.task.turn();
      return answer(items);
    }
    return withBodies(service, versionsIn(service, current, kind), page, own, answer);
  });
}

/** Whether a list has nothing on any page, given that it has nothing on this one. */
async function isEmpty(local: (page: PageQuery) => Promise<readonly Shown[]>, { index }: PageQuery): Promise<boolean> {
  return index === 0 || (await local({ index: 0, limit: 1 })).length === 0;
}

/** A nested list holds what lies under the path's parent. */
function under(kind: Kind, parent: Parent): Filter {
  const handle = String(parent.record.data.handle);
  return { path: `data.${kind.under?.member}`, operator: '$eq', values: [handle] };
}

/** Whether rules about no record in particular already let the caller read every one of the kind. */
function everythingIsVisible(kind: Kind, caller: Caller, context: Context): boolean {
  return !context.ledger.policyBased && decide('read', kind.name, caller, context).granted;
}

async function wholePage(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  filters: readonly Filter[],
  { index, limit }: PageQuery,
): Promise<readonly Shown[]> {
  const abandoned = () => service.task.abandoned();
  const query = { ledger: ledger.id, kind: kind.name, filters, limit, offset: index * limit, abandoned };
  const { version, records } = await service.store.lists.page(query);
  assertCurrent(ledger, version);
  return records;
}

/**
 * A page of those records that the caller may see, each judged by itself (contract 03 §6.6): by what the index holds of
 * it, and only where that leaves it open by the record. So a filter that meets what the caller may not see costs about
 * as much as one that meets nothing, and tells as little.
 */
async function pageOfVisible(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  filters: readonly Filter[],
  page: PageQuery,
  caller: Caller,
  parent: Parent | undefined,
): Promise<readonly Shown[]> {
  const records = createUnjudged(service, ledger, kind);
  const abandoned = () => service.task.abandoned();
  const next = async (limit: number, after: Place | undefined) => {
    const query = {
      ledger: ledger.id,
      kind: kind.name,
      filters,
      limit,
      offset: 0,
      abandoned,
      ...(after ? { after } : {}),
    };
    const { version, records: found } = await service.store.lists.index(query);
    assertCurrent(ledger, version);
    records.follow(found);
    return found;
  };
  const deadline = service.nature.now() + service.requestTimeout;
  const seen = async (placed: Indexed): Promise<Shown | undefined> => {
    const { luid, change } = placed;
    await service.task.turn();
    const isSeen = isShownByIndex(service, ledger, kind, caller, placed, parent);
    if (isSeen !== undefined) return isSeen ? { luid, change } : undefined;
    const body = await records.bodyOf(placed);
    await service.task.turn(stepsOfText(body));
    const subject = subjectOf(kind, JSON.parse(body) as RecordEnvelope, parent);
    const conditions = await conditionsOf(service, ledger, caller, subject);
    // Conditions may have had others judged.
    if (conditions) await service.task.turn();
    return isShown(service, ledger, kind, caller, subject, conditions) ? { luid, change } : undefined;
  };
  return visiblePage(page, next, seen, () => service.nature.now() > deadline);
}

/** Whether a list shows the record, as far as its index entry tells; nothing where that depends on what it does not hold. */
function isShownByIndex(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  caller: Caller,
  placed: Indexed,
  parent: Parent | undefined,
): boolean | undefined {
  const domain = domainOfRecord(kind, placed.domain ?? undefined, parent) ?? null;
  const subject = indexedSubject(kind, { ...placed, domain });
  if (!subject) return undefined;
  const context = contextOf(service, ledger, subject);
  // What the record is asked for beyond this may be so, or may not: either way most records are decided.
  if (!visible(kind.name, caller, { ...context, hopeful: true, invoke: () => true })) return false;
  return visible(kind.name, caller, context) ? true : undefined;
}

function isShown(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  caller: Caller,
  subject: Subject,
  conditions?: Conditions,
): boolean {
  return visible(kind.name, caller, contextOf(service, ledger, subject, conditions));
}
