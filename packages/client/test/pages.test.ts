import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import type { Ledger } from '../src/index.js';
import { makeLedger } from './support/ledger.js';
import { Liar } from './support/liar.js';

const server = withServer();
let liar: Liar;

beforeAll(async () => {
  liar = await Liar.before(server.current.url);
});
afterAll(() => liar.stop());

/** Wallets `w0` to `w5`, made in this order, and a client that reads them while others write. */
async function scene() {
  const { ledger: direct, connect } = await makeLedger(server.current.url);
  liar.lie = () => undefined;
  for (let at = 0; at < 6; at++) await direct.wallets.create({ handle: `w${at}` });
  liar.seen.length = 0;
  return { direct, ledger: connect({ server: liar.url }) };
}

/** Does something after each of the first pages that are read, before they are given. */
function afterPages(...steps: ((index: number) => Promise<unknown>)[]) {
  liar.lie = async ({ path }) => {
    if (path.startsWith('/wallets?')) await steps.shift()?.(steps.length);
    return undefined;
  };
}

const handlesOf = async (ledger: Ledger, limit: number) =>
  (await ledger.wallets.list({ limit }).all()).map(({ data }) => data.handle);
const change =
  (ledger: Ledger, ...handles: string[]) =>
  async () => {
    for (const handle of handles) await ledger.wallets.update(handle, { handle, custom: { at: Date.now() } });
  };

describe('a list that others change while its pages are read', () => {
  it('is read once, and its front once more, where nothing changes', async () => {
    const { ledger } = await scene();
    expect(await handlesOf(ledger, 4)).toEqual(['w5', 'w4', 'w3', 'w2', 'w1', 'w0']);
    expect(liar.seen.map(({ body }) => body.page.index)).toEqual([0, 1, 0]);
    liar.seen.length = 0;
    expect(await handlesOf(ledger, 7)).toHaveLength(6);
    expect(liar.seen).toHaveLength(1);
  });

  it('gives a record of a later page that moves to the front', async () => {
    const { ledger, direct } = await scene();
    afterPages(change(direct, 'w0'));
    const handles = await handlesOf(ledger, 2);
    expect([...handles].sort()).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5']);
  });

  it('gives it also when more records than a page holds change after it', async () => {
    const { ledger, direct } = await scene();
    afterPages(change(direct, 'w0', 'w5', 'w4', 'w3'), change(direct, 'w5', 'w4'));
    expect((await handlesOf(ledger, 2)).sort()).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5']);
  });

  it('gives a record that moves to the front while the front is read again', async () => {
    const { ledger, direct } = await scene();
    // Pages 0, 1, 2, 3, then the front: its second page is due, since all of the first has changed.
    afterPages(
      change(direct, 'w1', 'w0'),
      async () => undefined,
      async () => undefined,
      change(direct, 'w5', 'w4'),
      change(direct, 'w1', 'w0'),
    );
    expect((await handlesOf(ledger, 2)).sort()).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5']);
  });

  it('goes on behind a page of records that were given, when others are made meanwhile', async () => {
    const { ledger, direct } = await scene();
    const make = (name: string) => async () => {
      for (const at of [0, 1]) await direct.wallets.create({ handle: `${name}-${at}` });
    };
    afterPages(make('a'), make('b'), make('c'));
    const handles = await handlesOf(ledger, 2);
    expect([...new Set(handles)]).toHaveLength(handles.length);
    expect(handles).toEqual(expect.arrayContaining(['w0', 'w1', 'w2', 'w3', 'w4', 'w5']));
    expect(handles).toEqual(expect.arrayContaining(['a-0', 'a-1', 'b-0', 'b-1', 'c-0', 'c-1']));
  });
});
