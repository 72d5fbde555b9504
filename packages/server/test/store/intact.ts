import type { Change, RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import type { TestAnswer, TestClient } from '../support/client.js';

/** Runs `work` once for each number below `count`, all at the same time. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** How many answers there are of each outcome: the status, with the reason of an error. */
export function tally(answers: readonly TestAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status < 400 ? `${status}` : `${status} ${body?.data?.reason}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/**
 * The history of a record, oldest first, after making sure that it is whole: changes numbered from 1 without a gap, each
 * built on the one before, and the record as it is now the last of them; or gone, when that is a drop.
 *
 * @param collection path of the record's collection
 */
export async function expectIntact(client: TestClient, collection: string, luid: string): Promise<Change[]> {
  const path = `${collection}/${luid}`;
  const list = await client.get(`${path}/changes?page.limit=1000`);
  expect(list.status, list.text).toBe(200);
  const history: Change[] = list.body.data.toReversed();
  expect(history.map(({ meta }) => meta.change)).toEqual(history.map((_, index) => index + 1));
  expect(list.body.page.total).toBe(history.length);
  for (const [index, change] of history.entries()) {
    expectBuiltOn(history[index - 1], change, index === history.length - 1);
  }
  await expectCurrent(client, path, history.at(-1)!);
  return history;
}

function expectBuiltOn(before: Change | undefined, { hash, luid, data, meta }: Change, last: boolean): void {
  expect(meta.action).toBe(before === undefined ? 'create' : meta.action === 'drop' && last ? 'drop' : 'update');
  if (before === undefined) return;
  expect(luid).toBe(before.luid);
  expect(meta.moment >= before.meta.moment).toBe(true);
  // A new hash is an update's, and names the one before; proofs and drops leave the data as it was.
  if (hash !== before.hash) expect(data.parent).toBe(before.hash);
  else expect(data).toEqual(before.data);
  const proofs = before.meta.proofs.length;
  if (hash === before.hash) expect(meta.proofs.slice(0, proofs)).toEqual(before.meta.proofs);
}

async function expectCurrent(client: TestClient, path: string, last: Change): Promise<void> {
  const answer = await client.get(path);
  if (last.meta.action === 'drop') {
    expect(answer.status).toBe(404);
    return;
  }
  const { hash, data, luid, meta }: RecordEnvelope = answer.body;
  const { change: _, action: __, labels, ...others } = last.meta;
  expect({ hash, data, luid, meta }).toEqual({
    hash: last.hash,
    data: last.data,
    luid: last.luid,
    meta: { ...others, ...(labels ? { labels } : {}) },
  });
}
