import { setImmediate as turn } from 'node:timers/promises';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { Books, StoredBooks } from '../../src/money/accounts/books.js';
import { createLoadBooks } from '../../src/store/money/books.js';

const place = { wallet: '$wlt.w', symbol: 'usd' };
const cause = { intent: '$int.i', change: 2, moment: new Date(0).toISOString() };
const row = (amount: number) => ({ amount, luid: '$wbl.a', moment: cause.moment, isChanged: true });

/** Books of which 100 were read, in version 7. */
function stored(): StoredBooks {
  const books = new StoredBooks();
  books.add([place], [{ ...place, version: 7, available: row(100), reserved: undefined }], []);
  return books;
}

const over = (books: StoredBooks, below?: Books) => new Books(() => '$wbl.new', books, below);
const take = (books: Books, amount: number) => books.move({ ...place, availableBy: -amount, reservedBy: 0 }, cause);

it('a batch sees what the one before has changed, and names its versions', () => {
  const below = stored();
  const first = over(below);
  take(first, 30);
  const second = over(below, first);
  expect(second.available(place)).toBe(70);
  take(second, 20);
  expect(first.available(place)).toBe(70);
  expect(first.changes().balances).toMatchObject([{ was: 7, version: 8, available: { amount: 70 } }]);
  expect(second.changes().balances).toMatchObject([{ was: 8, version: 9, available: { amount: 50 } }]);
});

it('what a batch has changed is gone with it, and stays when it is stored', () => {
  const below = stored();
  take(over(below), 30);
  expect(over(below).available(place)).toBe(100);
  const first = over(below);
  take(first, 30);
  const second = over(below, first);
  first.commit();
  expect(second.available(place)).toBe(70);
  expect(over(below).changes()).toEqual({ balances: [], entries: [], limits: [] });
  expect(over(below).available(place)).toBe(70);
});

it('limits are layered as balances are', () => {
  const below = stored();
  const first = over(below);
  first.setLimit(place, 'dailyCount', { luid: '$wbl.l', amount: 3, used: 1, body: '' });
  expect(over(below).dailyLimit(place, 'dailyCount')).toBeUndefined();
  const second = over(below, first);
  expect(second.dailyLimit(place, 'dailyCount')).toMatchObject({ used: 1, version: 1 });
  expect(second.changes().limits).toMatchObject([{ metric: 'dailyCount', was: 1, version: 1 }]);
  expect(over(below).limits(place).size).toBe(0);
  first.commit();
  expect(over(below).limits(place).size).toBe(1);
});

it('limits stay as the batch has read them first, as balances do', () => {
  const first = over(stored());
  first.setLimit(place, 'minBalance', { luid: '$wbl.l', amount: 90, used: 0, body: '' });
  // Books that were read before the first batch is stored.
  const second = over(stored(), first);
  expect(second.limits(place).get('minBalance')?.amount).toBe(90);
  first.commit();
  expect(second.limits(place).get('minBalance')?.amount).toBe(90);
});

it('limits are read once balances are', async () => {
  const asked: string[] = [];
  let answer = (_: unknown) => {};
  const query = ({ name }: { name: string }) => {
    asked.push(name);
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const loaded = createLoadBooks({ query } as unknown as pg.Pool)(1, [place]);
  expect(asked).toEqual(['books-balances']);
  answer({ rows: [] });
  await turn();
  expect(asked).toEqual(['books-balances', 'books-limits']);
  answer({ rows: [] });
  expect(await loaded).toEqual({ balances: [], limits: [] });
});
