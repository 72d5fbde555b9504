import { randomBytes } from 'node:crypto';
import { connect, type Ledger, type Signed } from '@countersign/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { newLedger, systemKeyOf, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { type Place, placeAfter } from '../src/browse/place.js';
import { type ListPage, readPage } from '../src/browse/read-page.js';
import { findKind, type KindDescription } from '../src/kinds/kinds.js';

/** The clock of the server, in milliseconds: it stands still unless the test moves it. */
let now = Date.now();
const running = withOwnServer({ runtime: { now: () => now, random: randomBytes } });

/** More records of one moment than two pages hold, and some of an earlier one behind them. */
const [OLD, SAME, ROWS] = [20, 300, 50];

let writer: TestClient;
let reader: Ledger;
let order: string[];

describe('a list with many records of one moment', () => {
  beforeAll(async () => {
    now = Date.now();
    writer = await newLedger(running.current.url);
    const { url: server, ledger = '' } = writer;
    reader = connect({ server, ledger, systemKey: systemKeyOf(writer), token: false });
    await make(OLD, 'old');
    now += 1;
    await make(SAME, 'same');
    const { body } = await writer.get('/wallets?page.limit=1000');
    order = body.data.map(({ luid }: Signed) => luid);
    expect(new Set(body.data.map(({ meta }: Signed) => meta.moment)).size).toBe(2);
  });

  it('is gone through page by page, with each record once', async () => {
    const pages: ListPage[] = [];
    for (let isMore = true; isMore && pages.length < 10; ) {
      const page = await read(pages.at(-1)?.records.at(-1));
      pages.push(page);
      isMore = page.hasMore;
    }
    expect(pages.map(({ records }) => records.length)).toEqual([50, 50, 50, 50, 50, 50, 20]);
    expect(pages.flatMap(luidsOf)).toEqual(order);
  });

  it('goes on with all records of that moment where the record of the place has moved to the front', async () => {
    const { records } = await read(undefined);
    const last = records.at(-1) as Signed;
    now += 1;
    const path = `/wallets/${last.luid}`;
    const { body } = await writer.get(path);
    const { status } = await writer.update(path, body, { handle: body.data.handle, custom: { tier: 'gold' } });
    expect(status).toBe(200);
    const rest = order.filter((luid) => luid !== last.luid);
    const page = await read(last);
    expect([luidsOf(page), page.hasMore]).toEqual([rest.slice(0, ROWS), true]);
    const whole = await read(last, 1000);
    expect([luidsOf(whole), whole.hasMore]).toEqual([rest, false]);
  });
});

async function make(count: number, name: string): Promise<void> {
  const handles = Array.from({ length: count }, (_, at) => `${name}-${at}`);
  for (let at = 0; at < count; at += 50) {
    const made = await Promise.all(handles.slice(at, at + 50).map((handle) => writer.create('/wallets', { handle })));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  }
}

/** The page behind a record; the first one where there is none. */
function read(last: Signed | undefined, limit = ROWS): Promise<ListPage> {
  const after: Place | undefined = last && placeAfter(last);
  return readPage(reader, { kind: findKind('wallet') as KindDescription, parent: undefined, filter: {}, after, limit });
}

function luidsOf({ records }: ListPage): string[] {
  return records.map(({ luid }) => luid);
}
