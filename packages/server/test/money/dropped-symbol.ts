import { MAY_ERASE } from '../erasure/support.js';
import { ok, stored } from '../support/scene.js';
import { limit, MoneyScene } from './scene.js';

/** A ledger in which alice had an overdraft of a symbol `anew` that was dropped; its luid. */
export async function droppedSymbol(url: string, wallets: readonly string[] = ['alice']) {
  const money = await MoneyScene.make(url, wallets, {
    access: MAY_ERASE,
    config: { 'limits.aggregated.enabled': true },
  });
  const { client } = money;
  const { luid } = await stored(client, 'symbol', { handle: 'anew', factor: 100 });
  await money.done([limit('alice', 'minBalance', -1_000, 'anew')]);
  ok(await client.drop('/symbols/anew', ok(await client.get('/symbols/anew')).body));
  return { money, client, luid };
}
