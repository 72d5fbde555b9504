import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newLedger, proofOver, type TestClient } from '../support/client.js';
import { make, ok, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

async function withReport(...way: string[]): Promise<{ client: TestClient; report: RecordEnvelope }> {
  const client = await newLedger(server.current.url);
  await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} });
  let report = await stored(client, 'report', { handle: 'r', schema: 'daily' });
  for (const status of way) report = ok(await client.prove('/reports/r', report, { status })).body;
  return { client, report };
}

describe('States and transitions', () => {
  it('report | (none) | create report | valid body | created', async () => {
    expect((await withReport()).report.meta.status).toBe('created');
  });

  it.each([
    ['created', 'pending', []],
    ['pending', 'completed', ['pending']],
    ['completed', 'settled', ['pending', 'completed']],
    ['created', 'rejected', []],
    ['pending', 'rejected', ['pending']],
  ])('report | %s | add proof with custom.status %s | proof signed on current hash', async (from, to, way) => {
    const { client, report } = await withReport(...way);
    expect(report.meta.status).toBe(from);
    const wrong = proofOver('f'.repeat(64), client.key, { status: to });
    const refused = await client.call('POST', '/reports/r/proofs', wrong);
    expectRefusal(refused, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
    expect(ok(await client.prove('/reports/r', report, { status: to })).body.meta.status).toBe(to);
  });

  it('report | pending | completed | proof may include generated report assets', async () => {
    const { client, report } = await withReport('pending');
    const assets = [{ handle: 'a.csv', output: 'gs://bucket/a.csv' }];
    const { meta } = ok(await client.prove('/reports/r', report, { status: 'completed', assets })).body;
    expect(meta.assets).toEqual(assets);
  });

  it('report | created or pending | rejected | before completion only', async () => {
    const { client, report } = await withReport('pending', 'completed');
    const answer = await client.prove('/reports/r', report, { status: 'rejected' });
    const detail = 'Proof contains invalid status change, from completed to rejected';
    expectRefusal(answer, client, 'record.update-rejected', detail);
  });

  it.each([
    ['created', []],
    ['pending', ['pending']],
    ['completed', ['pending', 'completed']],
    ['rejected', ['rejected']],
    ['settled', ['pending', 'completed', 'settled']],
  ])(
    'report | any | delete: record removed; proof status dropped; history stays readable by luid | %s',
    async (_, way) => {
      const { client, report } = await withReport(...way);
      expect((await client.drop('/reports/r', report)).status).toBe(204);
      expectRefusal(await client.get('/reports/r'), client, 'record.not-found', 'Report not found');
      const { data, page } = (await client.get(`/reports/${report.luid}/changes`)).body;
      expect(page.total).toBe(way.length + 2);
      expect(data[0].meta.action).toBe('drop');
      expect(data[0].meta.proofs.slice(-2).map((proof: { custom: { status: string } }) => proof.custom.status)).toEqual(
        ['dropped', 'dropped'],
      );
    },
  );

  it('schema | created | add proof with custom.status active | proof signed on current hash | active', async () => {
    const client = await newLedger(server.current.url);
    const schema = await stored(client, 'schema', { handle: 's', record: 'wallet', format: 'json-schema', schema: {} });
    expect(schema.meta.status).toBe('created');
    expect(ok(await client.prove('/schemas/s', schema, { status: 'active' })).body.meta.status).toBe('active');
  });

  it.each(['signer', 'domain', 'effect'] as const)('%s | (none) | create | valid body | created', async (name) => {
    expect((await make(await setScene(server.current.url, name))).meta.status).toBe('created');
  });
});
