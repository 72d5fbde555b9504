import { type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { AccessContext, Subject } from '../access/context.js';
import { decideAccess, isVisible, judgeQuery } from '../access/decide.js';
import { authorize } from '../authorization/authorize.js';
import { callerOfRead } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { contextOf, domainOfRecord, subjectOf } from '../authorization/context.js';
import { refuseAction } from '../authorization/refuse.js';
import type { ListItem } from '../integrity/items.js';
import type { Kind } from '../kinds/kind.js';
import { noteDecision } from '../ledgers/request-facts.js';
import type { Session } from '../ledgers/session.js';
import { parseFilters } from '../lists/filters.js';
import { type PageQuery, parsePage } from '../lists/page.js';
import { type PageVersion, versionsIn, withBodies } from '../lists/page-bodies.js';
import { listText } from '../lists/text.js';
import { createUndecidedBodies } from '../lists/undecided-bodies.js';
import { visiblePage } from '../lists/visible-page.js';
import type { Answer, Command } from '../records/command.js';
import { parseIndexedSubject } from '../records/document.js';
import { getParent, type Parent } from '../records/stored-record.js';
import type { PathFilter } from '../store/queries/filter.js';
import type { Indexed, ListPosition } from '../store/queries/list.js';
import { EVERY_OPERATION, type Operation } from './operation.js';
import type { Stages } from './stage.js';

/**
 * `GET /{kind}s` (interface/lists): newest change first; records hidden from the caller are left out before paging.
 * Policies may have a bridge answer instead, always or when the ledger's own list is empty (interface/forwarding).
 */
// biome-ignore format: what each step refuses stands beside it
export async function answerList(session: Session, kind: Kind, command: Command, stages: Stages): Promise<Answer> {
  const { token } = command;
  const page = parsePage(command.query);                                        // api.query-malformed
  const filters = parseFilters(kind, command.query);                               // api.query-malformed
  return stages(session, kind, command, async (session, stage) => {
    const caller = await callerOfRead(session, token);
    const parent = await getParent(session, kind, command);                     // record.not-found
    if (parent && kind.access.rightsOnParent) {
      await authorize(session, caller, {
        action: 'read',
        kind,
        subject: subjectOf(parent.kind, parent.record),
        parent,
      });
    } else {
      await session.task.turn();
      const judgement = judgeQuery(kind.name, caller, contextOf(session));
      session.explain?.({ ledger: session.ledger.handle, action: 'query', record: kind.name, ...judgement });
      if (!noteDecision(session.facts, judgement.granted)) throw await refuseAction(session, caller, 'query', kind.name); // auth.unauthorized, auth.forbidden
    }
    const within = parent ? [...filters, under(kind, parent)] : filters;
    await session.task.turn();
    const everything = kind.access.rightsOnParent ?? isEverythingVisible(kind, caller, contextOf(session));
    const local = (of: PageQuery): Promise<readonly PageVersion[]> =>
      everything ? wholePage(session, kind, within, of) : pageOfVisible(session, kind, within, of, caller, parent);
    const handover = stage.ofList(session);
    const own = handover?.proxied ? [] : await local(page);
    const elsewhere = handover && own.length === 0 && (handover.proxied || (await isEmpty(local, page)));
    const answer = (items: readonly ListItem[]) => ({
      status: 200,
      body: listText(session, session.ledger, items, page),
    });
    if (elsewhere) {
      const isSeen = async (subject: Subject) => {
        await session.task.turn();
        return isVisible(kind.name, caller, contextOf(session, subject));
      };
      const items = await handover.page(session, page, isSeen);
      await session.task.turn();
      return answer(items);
    }
    return withBodies(session, versionsIn(session, kind), page, own, answer);
  });
}

/** Whether the whole list is empty, given that this page is. */
async function isEmpty(
  local: (page: PageQuery) => Promise<readonly PageVersion[]>,
  { index }: PageQuery,
): Promise<boolean> {
  return index === 0 || (await local({ index: 0, limit: 1 })).length === 0;
}

/** Limits a nested list to the records under the path's parent. */
function under(kind: Kind, parent: Parent): PathFilter {
  const handle = String(parent.record.data.handle);
  return { path: `data.${kind.links.under?.member}`, operator: '$eq', values: [handle] };
}

/** Whether rules that apply to every record of the kind let the caller read it. */
function isEverythingVisible(kind: Kind, caller: Caller, context: AccessContext): boolean {
  return !context.ledger.policyBased && decideAccess('read', kind.name, caller, context).granted;
}

/** A page of records, whoever asks. */
export async function wholePage(
  session: Session,
  kind: Kind,
  filters: readonly PathFilter[],
  { index, limit }: PageQuery,
): Promise<readonly PageVersion[]> {
  const abandoned = () => session.task.abandonment();
  const query = { ledger: session.ledger.id, kind: kind.name, filters, limit, offset: index * limit, abandoned };
  const { records } = session.assertFresh(await session.store.lists.page(query));
  return records;
}

/**
 * A page of the records that the caller may see, each judged by itself (interface/access#lists): by its index entry,
 * and by the whole record only where the entry leaves it open. A filter that matches hidden records thus takes about as
 * long as one that matches none: timing reveals little about hidden records.
 *
 * @param shows whether the rules show a record to the caller, given what is known of it
 */
export async function pageOfVisible(
  session: Session,
  kind: Kind,
  filters: readonly PathFilter[],
  page: PageQuery,
  caller: Caller,
  parent: Parent | undefined,
  shows: typeof isVisible = isVisible,
): Promise<readonly PageVersion[]> {
  const records = createUndecidedBodies(session, kind);
  const abandoned = () => session.task.abandonment();
  const next = async (limit: number, after: ListPosition | undefined) => {
    const query = {
      ledger: session.ledger.id,
      kind: kind.name,
      filters,
      limit,
      offset: 0,
      abandoned,
      ...(after ? { after } : {}),
    };
    const { records: found } = session.assertFresh(await session.store.lists.index(query));
    records.follow(found);
    return found;
  };
  const deadline = session.runtime.now() + session.requestTimeout;
  const seen = async (placed: Indexed): Promise<PageVersion | undefined> => {
    const { luid, change } = placed;
    await session.task.turn();
    const isSeen = isShownByIndex(session, kind, caller, placed, parent, shows);
    if (isSeen !== undefined) return isSeen ? { luid, change } : undefined;
    const body = await records.bodyOf(placed);
    await session.task.turn();
    const subject = subjectOf(kind, readJson(body) as RecordEnvelope, parent);
    const conditions = await conditionsOf(session, caller, subject);
    // Evaluating conditions may have judged other records too.
    if (conditions) await session.task.turn();
    return shows(kind.name, caller, contextOf(session, subject, conditions)) ? { luid, change } : undefined;
  };
  return visiblePage(page, next, seen, () => session.runtime.now() > deadline);
}

/** Whether a list shows the record, as its index entry tells; undefined where the whole record is needed. */
function isShownByIndex(
  session: Session,
  kind: Kind,
  caller: Caller,
  placed: Indexed,
  parent: Parent | undefined,
  shows: typeof isVisible,
): boolean | undefined {
  const domain = domainOfRecord(kind, placed.domain ?? undefined, parent) ?? null;
  const subject = parseIndexedSubject(kind, { ...placed, domain });
  if (!subject) return undefined;
  const context = contextOf(session, subject);
  // Judged first with all unknown conditions fulfilled, then with none: most records are decided by one of the two.
  if (!shows(kind.name, caller, { ...context, hopeful: true, invoke: () => true })) return false;
  return shows(kind.name, caller, context) ? true : undefined;
}

/** The operation `list`. */
export const listRecords: Operation = {
  name: 'list',
  isOf: ({ only, lifecycle }) => only === undefined && lifecycle.operations.includes('list'),
  routes: () => [{ method: 'GET', of: 'records' }],
  perform: answerList,
  refusals: { always: EVERY_OPERATION, nested: ['record.not-found'] },
  handover: 'query',
  description: {
    id: (_, several) => `list${several}`,
    summary: (_, several) => `List ${several}, newest change first`,
    parameters: ['page', 'filters'],
    answers: ({ name }) => ({ 200: { text: 'A signed page of records.', component: `${name}-list` } }),
  },
};
