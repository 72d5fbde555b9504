import type { JsonObject } from '@countersign/protocol';
import { expect } from 'vitest';
import type { PlayedBridge } from './bridge.js';
import { MoneyScene } from './scene.js';

/** Wallets of a scene with the bridges `bank` and `other`: two at the bank, one at the other, one that sends on to `acc`. */
export const WALLETS = [
  'alice',
  'bob',
  { handle: 'acc', bridge: 'bank' },
  { handle: 'acc2', bridge: 'bank' },
  { handle: 'far', bridge: 'other' },
  { handle: 'fwd', routes: [{ action: 'forward', target: 'acc' }] },
];

/** A ledger with two bridges and money in its wallets. */
export async function bridgedScene(
  url: string,
  { bank, other }: { bank: PlayedBridge; other: PlayedBridge },
  more: { bank?: JsonObject; bankConfig?: JsonObject; config?: JsonObject; access?: JsonObject[] } = {},
): Promise<MoneyScene> {
  const { config, access } = more;
  const money = await MoneyScene.make(url, [], { ...(config ? { config } : {}), ...(access ? { access } : {}) });
  await bank.join(money.client, 'bank', more.bank, more.bankConfig);
  await other.join(money.client, 'other');
  await money.add(WALLETS);
  for (const wallet of ['alice', 'acc', 'acc2', 'far']) await money.issue(wallet, 1_000);
  return money;
}

/** Signer and status of each proof: `bank prepared`. */
export async function shortTrail(money: MoneyScene, handle: string): Promise<string[]> {
  const trail = await money.trail(handle);
  return trail.map(([signer, { status, schema }]) => [signer, status, schema].filter(Boolean).join(' '));
}

/** The handle that an entry was given. */
export async function entryOf(money: MoneyScene, handle: string, side: string, claim = 0): Promise<string> {
  const trail = await money.trail(handle);
  const found = trail.find(([, said]) => {
    return said.status === 'resolved' && said.schema === side && (said.inputs as number[])[0] === claim;
  });
  expect(found, `${side} of claim ${claim}`).toBeDefined();
  return String(found![1].handle);
}
