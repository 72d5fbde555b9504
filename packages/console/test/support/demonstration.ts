import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@countersign/protocol';
import type { Runtime } from '../../../server/src/base/clock.js';
import { MoneyScene, transfer } from '../../../server/test/money/scene.js';
import { newKey, noteLedger, TestClient } from '../../../server/test/support/client.js';
import { ok, stored } from '../../../server/test/support/scene.js';

const DAY = 86_400_000;

/** Days that the demonstration lasts, of which today is the last. */
const DAYS = 14;

/** A clock that is behind, until the demonstration has made up for it. */
export class DemonstrationClock {
  #behind = DAYS * DAY;
  readonly runtime: Runtime = { now: () => Date.now() - this.#behind, random: (bytes) => randomBytes(bytes) };

  toDay(day: number): void {
    this.#behind = Math.max(0, (DAYS - day) * DAY);
  }
}

/** Payments of each day: from, to, cents. The same each time, so that pictures differ in nothing else. */
const PAYMENTS: readonly (readonly [from: string, to: string, amount: number])[] = [
  ['ada', 'shop', 24_90],
  ['ben', 'shop', 8_50],
  ['cara', 'cafe', 4_20],
  ['shop', 'till', 30_00],
  ['ada', 'cafe', 6_80],
  ['dora', 'shop', 119_00],
  ['cafe', 'till', 12_00],
];

/** A small scheme: a ledger that has been used for two weeks. */
export async function demonstration(url: string, clock: DemonstrationClock): Promise<TestClient> {
  const [key, anna] = [newKey(), newKey()];
  const client = new TestClient(url, key, 'acme');
  const owner = { signer: { public: key.public } };
  const access: JsonObject[] = [
    { action: 'any', record: 'any', ...owner },
    { action: { $in: ['create', 'update'] }, record: 'wallet', signer: { $circle: 'tellers' } },
    { action: { $in: ['create', 'commit', 'abort'] }, record: 'intent', signer: { $circle: 'tellers' } },
    { action: { $in: ['read', 'query', 'access'] }, record: 'any' },
    { policy: 'spenders' },
  ];
  noteLedger(ok(await client.in(undefined).create('/ledgers', { handle: 'acme', signer: 'system', access })).body);
  await stored(client, 'signer', { handle: 'owner', public: key.public, format: 'ed25519-raw' });
  await stored(client, 'signer', { handle: 'anna', public: anna.public, format: 'ed25519-raw' });
  await stored(client, 'circle', { handle: 'tellers' });
  await stored(client, 'circle-signer', { circle: 'tellers', signer: 'anna' });
  const values = [{ action: 'spend', signer: { $circle: 'tellers' }, filter: { 'custom.tier': 'gold' } }];
  await stored(client, 'policy', { handle: 'spenders', schema: 'access', record: 'wallet', values });
  for (const handle of ['usd', 'eur']) await stored(client, 'symbol', { handle, factor: 100 });
  const money = MoneyScene.of(client);
  await money.add(
    ['ada', 'ben', 'cara', 'dora', 'shop', 'cafe', 'till'].map((handle) => ({ handle, custom: { tier: 'silver' } })),
  );
  for (const wallet of ['ada', 'ben', 'cara', 'dora', 'shop', 'cafe']) await money.issue(wallet, 5_000_00);
  for (let day = 1; day <= DAYS; day++) {
    clock.toDay(day - 0.5);
    for (const at of PAYMENTS.keys()) if ((day + at) % 3 > 0) await pay(money, day, at);
  }
  const { body: ada } = await client.get('/wallets/ada');
  ok(await client.update('/wallets/ada', ada, { handle: 'ada', custom: { tier: 'gold' } }));
  clock.toDay(DAYS);
  await money.rejected([transfer('ben', 'shop', 99_999_00)]);
  await money.ends(await money.intend([transfer('ada', 'cafe', 50_00)], { config: { commit: 'manual' } }), 'prepared');
  return client;
}

async function pay(money: MoneyScene, day: number, at: number): Promise<void> {
  const [from, to, amount] = PAYMENTS[at]!;
  await money.done([transfer(from, to, amount + day * 10)]);
}
