import { encodeBase64 } from '@countersign/protocol';
import { native } from '../../src/auth/native-suite.js';
import type { KindName } from '../../src/kinds/kind.js';
import { examples } from '../kinds/examples.js';
import { OPEN, TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';

/** Who made everything in the state of a release: the same each time, so that later tests can sign. */
export const FOUNDER: TestKey = keyOf(1);

/** Handle of the ledger that holds it. */
export const LEDGER = 'release';

function keyOf(byte: number): TestKey {
  const secret = Buffer.alloc(32, byte);
  return { secret, public: encodeBase64(native.publicKey(secret)) };
}

/** Makes records of every kind, and every sort of version: proved, updated, dropped, and made again. */
export async function populate(url: string): Promise<void> {
  const founder = new TestClient(url, FOUNDER);
  ok(await founder.create('/ledgers', { handle: LEDGER, signer: 'system', access: OPEN }));
  const client = founder.in(LEDGER);
  await stored(client, 'signer', { handle: 'founder', public: FOUNDER.public, format: 'ed25519-raw' });
  for (const [name, example] of Object.entries(examples)) {
    if (name === 'ledger') continue;
    for (const { kind, data } of example.needs?.(`${name}-1`) ?? []) await stored(client, kind, data);
    await stored(client, name as KindName, example.full(`${name}-1`), example.secret);
  }
  const wallet = await stored(client, 'wallet', { handle: 'changed', custom: { tier: 1 } });
  ok(await client.prove('/wallets/changed', wallet, { status: 'active' }));
  ok(await client.update('/wallets/changed', wallet, { handle: 'changed', custom: { tier: 2 } }));
  const gone = await stored(client, 'wallet', { handle: 'gone' });
  ok(await client.drop('/wallets/gone', gone, 'no longer needed'));
  const first = await stored(client, 'wallet', { handle: 'again' });
  ok(await client.drop('/wallets/again', first));
  await stored(client, 'wallet', { handle: 'again', custom: { tier: 3 } });
}
