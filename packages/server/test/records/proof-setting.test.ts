import type { StoredProof } from '@countersign/protocol';
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

it('a report carries as many notes, and takes its statuses all the same', async () => {
  const client = await newLedger(server.current.url);
  const schema = { handle: 'daily', record: 'report', format: 'json-schema', schema: {} };
  ok(await client.create('/schemas', schema));
  const report = ok(await client.create('/reports', { handle: 'r', schema: 'daily' })).body;
  const { length } = report.meta.proofs.filter(({ custom }: StoredProof) => custom?.status === undefined);
  for (let count = length; count < 10; count += 1) ok(await client.prove('/reports/r', report, { count }));
  expectRefusal(await client.prove('/reports/r', report, { count: 10 }), client, 'record.invalid', DETAIL);
  for (const status of ['pending', 'completed', 'settled']) {
    expect(ok(await client.prove('/reports/r', report, { status })).body.meta.status).toBe(status);
  }
});

it('a report takes as many proofs that ask for a status, and not one more', async () => {
  const client = await newLedger(server.current.url);
  ok(await client.create('/schemas', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} }));
  let report = ok(await client.create('/reports', { handle: 'r', schema: 'daily' })).body;
  const asking = () => report.meta.proofs.filter(({ custom }: StoredProof) => custom?.status !== undefined).length;
  for (let count = 0; asking() < 10; count += 1) {
    report = ok(await client.prove('/reports/r', report, { status: count % 2 ? 'rejected' : 'pending' })).body;
  }
  const status = report.meta.status === 'pending' ? 'rejected' : 'pending';
  expectRefusal(await client.prove('/reports/r', report, { status }), client, 'record.invalid', DETAIL);
});

it('notes fill half of the bytes that a report may have', async () => {
  const client = await newLedger(server.current.url);
  ok(await client.create('/schemas', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} }));
  const report = ok(await client.create('/reports', { handle: 'r', schema: 'daily' })).body;
  const note = () => client.prove('/reports/r', report, { note: 'x'.repeat(1_000_000) });
  ok(await note());
  ok(await note());
  expectRefusal(await note(), client, 'record.invalid', DETAIL);
  ok(await client.prove('/reports/r', report, { status: 'pending' }));
});
