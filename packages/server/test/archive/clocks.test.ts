import { expect, it } from 'vitest';
import { newLedger } from '../support/client.js';
import { startServer } from '../support/server.js';
import { exported, verified } from './support.js';

it('finds nothing wrong with versions that were made while the clock was set back, and says so (export)', async () => {
  let now = Date.now();
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const server = await startServer({ runtime: { now: () => now, random } });
  try {
    // As 0.2.0 had it: moments are those of the clock.
    Object.assign(server.server.service, { moments: { next: () => now } });
    const client = await newLedger(server.url);
    const { body: made } = await client.create('/wallets', { handle: 'shop' });
    const sentence = /^Whether clocks were right: (\d+) versions/;
    const setBack = ({ unchecked }: ReturnType<typeof verified>['summary']) =>
      unchecked.map((one) => sentence.exec(one)?.[1]).filter((one) => one !== undefined);
    const before = verified(await exported(server, client.ledger!));
    expect([before.told, setBack(before.summary)]).toEqual([[], []]);
    now -= 50;
    const { body: proved } = await client.prove('/wallets/shop', made, { status: 'active' });
    expect(proved.meta.moment < made.meta.moment).toBe(true);
    now -= 50;
    await client.update('/wallets/shop', proved, { handle: 'shop', custom: { a: 1 } });
    const after = verified(await exported(server, client.ledger!));
    expect([after.told, setBack(after.summary)]).toEqual([[], ['2']]);
  } finally {
    await server.stop();
  }
});
