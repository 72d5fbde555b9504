import { expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer({ recordProofs: 10 });
const DETAIL = 'Record proofs limit of 10 exceeded';

it('a record carries as many proofs as the operator says, those of a proof, a create and an update', async () => {
  const client = await newLedger(server.current.url);
  const wallet = ok(await client.create('/wallets', { handle: 'w' })).body;
  for (let count = wallet.meta.proofs.length; count < 10; count += 1) {
    ok(await client.prove('/wallets/w', wallet, { count }));
  }
  expectRefusal(await client.prove('/wallets/w', wallet, { status: 'active' }), client, 'record.invalid', DETAIL);

  const create = (handle: string, count: number) => {
    const body = signed({ handle }, client.key);
    const others = Array.from({ length: count - 2 }, () => proofOver(body.hash, newKey()));
    return client.call('POST', '/wallets', { ...body, meta: { proofs: [...body.meta.proofs, ...others] } });
  };
  expect(ok(await create('most', 10)).body.meta.proofs).toHaveLength(10);
  expectRefusal(await create('more', 11), client, 'record.invalid', DETAIL);
});
