import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../server/test/support/server.js';
import { makeLedger } from './support/ledger.js';
import { Liar } from './support/liar.js';

/** The clock of the server, in milliseconds: it stands still unless a test moves it. */
let now = Date.now();
let server: RunningServer;
let liar: Liar;

beforeAll(async () => {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  server = await startServer({ runtime: { now: () => now, random } });
  // As 0.2.0 has it: the moments of a ledger are those of the clock, and go back with it.
  Object.assign(server.server.service, { moments: { next: () => now } });
  liar = await Liar.before(server.url);
});
afterAll(async () => {
  await liar.stop();
  await server.stop();
});

async function scene() {
  now = Date.now();
  const { connect } = await makeLedger(server.url);
  liar.lie = () => undefined;
  const [ledger, other] = [connect({ server: liar.url }), connect()];
  const made = await ledger.wallets.create({ handle: 'shop', custom: { n: 0 } });
  const count = (one: typeof ledger) =>
    one.wallets.update('shop', (data) => ({ ...data, custom: { n: Number(data.custom?.n) + 1 } }));
  return { ledger, other, made, count };
}

describe('a server of an earlier release whose clock', () => {
  it('stands still is believed, and its older versions are not', async () => {
    const { ledger, other, made, count } = await scene();
    const first = await count(ledger);
    const second = await count(ledger);
    expect(second.meta.moment).toBe(made.meta.moment);
    await count(other);
    expect((await ledger.wallets.get('shop')).data.custom).toEqual({ n: 3 });
    for (const old of [made, first, second]) {
      liar.lie = (exchange) => {
        exchange.body = old;
        return undefined;
      };
      await expect(ledger.wallets.get('shop')).rejects.toMatchObject({ fault: 'stale' });
    }
  });

  it('stepped back is believed, and its older versions are not', async () => {
    const { ledger, other, made, count } = await scene();
    now -= 50;
    const first = await count(ledger);
    expect(Date.parse(first.meta.moment)).toBeLessThan(Date.parse(made.meta.moment));
    await count(other);
    now -= 40;
    await count(other);
    expect((await ledger.wallets.get('shop')).data.custom).toEqual({ n: 3 });
    await ledger.wallets.sign('shop', { status: 'active' });
    expect((await ledger.wallets.list().all()).map(({ data }) => data.handle)).toEqual(['shop']);
    liar.lie = (exchange) => {
      exchange.body = made;
      return undefined;
    };
    await expect(ledger.wallets.get('shop')).rejects.toMatchObject({ fault: 'stale' });
  });

  it('stands still lets a record be dropped and made again with the same data', async () => {
    const { ledger, made } = await scene();
    await ledger.wallets.drop('shop');
    const again = await ledger.wallets.create({ handle: 'shop', custom: { n: 0 } });
    expect([again.hash, again.luid === made.luid]).toEqual([made.hash, false]);
    expect((await ledger.wallets.get('shop')).luid).toBe(again.luid);
    liar.lie = (exchange) => {
      exchange.body = made;
      return undefined;
    };
    await expect(ledger.wallets.get('shop')).rejects.toMatchObject({ fault: 'stale' });
  });
});
