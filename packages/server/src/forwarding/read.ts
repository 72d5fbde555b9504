import type { Json, JsonObject } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import { authorize, authorizeUnseen } from '../authorization/authorize.js';
import { callerOfRead } from '../authorization/caller.js';
import { type ListItem, newListItem } from '../integrity/items.js';
import type { Session } from '../ledgers/session.js';
import type { PageQuery } from '../lists/page.js';
import type { Answer } from '../records/command.js';
import { allVerified, isRecordNamed, parseBridgeRecord, recordsIn, successOf } from './answer.js';
import type { Aspect } from './aspect.js';
import { serveBridgeRecord, serveBridgeRecords } from './attribution.js';
import { askBridge, bridgePath, type Forwarding } from './call.js';
import { invalidResponse } from './error.js';
import { aspectOf, type ForwardingTarget, makeBridgeSubject } from './target.js';

/** The record of a bridge that answers in place of the ledger (interface/forwarding#strategies). */
export async function forwardRead(
  session: Session,
  forwarding: Forwarding,
  target: ForwardingTarget,
  token: Token | undefined,
): Promise<Answer> {
  const { kind } = forwarding;
  const { subject, id } = target;
  const path = bridgePath(kind, id);
  const caller = await callerOfRead(session, token);
  await authorizeUnseen(session, caller, kind, subject);
  const aspect = aspectOf(target);
  const answer = await askBridge(session, forwarding, aspect, () => ({ method: 'GET', path }));
  // Rights may have been revoked during the call. The commit of a write detects that; a read has to check.
  await session.assertStillCurrent();
  const record = parseBridgeRecord(session, aspect.bridge, successOf(session, aspect.bridge, answer));
  if (!isRecordNamed(record, id)) throw invalidResponse(aspect.bridge);
  const seen = makeBridgeSubject(session.ledger, kind, record.data, 'data');
  await authorize(session, caller, { action: 'read', kind, subject: seen });
  return { status: 200, body: JSON.stringify(await serveBridgeRecord(session, record)) };
}

/**
 * A page of the records of a bridge. The bridge is asked for its whole list, and filters are ignored
 * (interface/forwarding#strategies); pages are cut here, so that paging ends. Only the proofs of shown records are
 * verified.
 *
 * @param seen whether the caller may see a record with that data
 */
export async function forwardPage(
  session: Session,
  forwarding: Forwarding,
  aspect: Aspect,
  { index, limit }: PageQuery,
  seen: (data: JsonObject) => Promise<boolean>,
): Promise<ListItem[]> {
  const answer = await askBridge(session, forwarding, aspect, () => ({ method: 'GET', path: '' }));
  const records = await recordsIn(session, aspect.bridge, successOf(session, aspect.bridge, answer));
  const visible: typeof records = [];
  for (const record of records) if (await seen(record.data)) visible.push(record);
  const page = await allVerified(session, visible.slice(index * limit, (index + 1) * limit));
  // Other requests have run since the bridge answered, and may have revoked rights.
  await session.assertStillCurrent();
  return (await serveBridgeRecords(session, page)).map((record) => newListItem(record as unknown as Json));
}
