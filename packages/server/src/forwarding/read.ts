import type { Json, JsonObject } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import type { Ledger } from '../ledgers/ledger.js';
import { assertCurrent } from '../ledgers/attempt.js';
import { authorize, authorizeUnseen } from '../authorization/authorize.js';
import { reader } from '../authorization/caller.js';
import { type Item, newItem } from '../lists/items.js';
import type { PageQuery } from '../lists/page.js';
import type { Answer } from '../operations/request.js';
import type { Service } from '../ledgers/service.js';
import { allVerified, isNamed, recordIn, recordsIn, successOf } from './answer.js';
import type { Aspect } from './aspect.js';
import { askBridge, type Forwarding, pathOf } from './call.js';
import { invalidResponse } from './error.js';
import { allAsServed, asServed } from './served.js';
import { aspectOf, bridgedSubject, type Target } from './target.js';

/** The record that a bridge has, which answers in place of the ledger (contract 02 §4). */
export async function forwardedRead(
  service: Service,
  ledger: Ledger,
  forwarding: Forwarding,
  target: Target,
  token: Token | undefined,
): Promise<Answer> {
  const { kind } = forwarding;
  const { subject, id } = target;
  const path = pathOf(kind, id);
  const caller = await reader(service, ledger, token);
  await authorizeUnseen(service, ledger, caller, kind, subject);
  const aspect = aspectOf(target);
  const answer = await askBridge(service, ledger, forwarding, aspect, () => ({ method: 'GET', path }));
  await assertStillCurrent(service, ledger);
  const record = recordIn(service, aspect.bridge, successOf(service, aspect.bridge, answer));
  if (!isNamed(record, id)) throw invalidResponse(aspect.bridge);
  const seen = bridgedSubject(ledger, kind, record.data, 'data');
  await authorize(service, ledger, caller, { action: 'read', kind, subject: seen });
  return { status: 200, body: JSON.stringify(await asServed(service, ledger, record)) };
}

/**
 * A bridge takes its time, and a right may be taken away meanwhile. Nothing comes after a read that would notice.
 *
 * @throws OutOfDate when the ledger has changed
 */
async function assertStillCurrent(service: Service, ledger: Ledger): Promise<void> {
  assertCurrent(ledger, await service.store.ledgers.version(ledger.id));
}

/**
 * A page of the records that a bridge has. It is asked for all of them, without the query, so filters are not applied
 * (contract 02 §4); pages are cut here, that whoever turns them comes to an end. Proofs are verified of what is shown.
 *
 * @param seen whether the caller may see a record with that data
 */
export async function forwardedPage(
  service: Service,
  ledger: Ledger,
  forwarding: Forwarding,
  aspect: Aspect,
  { index, limit }: PageQuery,
  seen: (data: JsonObject) => Promise<boolean>,
): Promise<Item[]> {
  const answer = await askBridge(service, ledger, forwarding, aspect, () => ({ method: 'GET', path: '' }));
  const records = await recordsIn(service, aspect.bridge, successOf(service, aspect.bridge, answer));
  const visible: typeof records = [];
  for (const record of records) if (await seen(record.data)) visible.push(record);
  const page = await allVerified(service, visible.slice(index * limit, (index + 1) * limit));
  // Others have had their turns since the bridge answered: what they changed counts too.
  await assertStillCurrent(service, ledger);
  return (await allAsServed(service, ledger, page)).map((record) => newItem(record as unknown as Json));
}
