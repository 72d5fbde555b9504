import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectList, expectRecord, expectRefusal } from '../support/checks.js';
import { newLedger, proofOver, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const STATUSES = ['created', 'pending', 'completed', 'rejected', 'settled'] as const;
type Status = (typeof STATUSES)[number];

/** What a proof asking for a status does: `ok` moves it, `=` is not stored, `X` is refused (interface/reports#statuses). */
const TABLE: Readonly<Record<Status, readonly ('ok' | '=' | 'X')[]>> = {
  created: ['=', 'ok', 'X', 'ok', 'X'],
  pending: ['X', '=', 'ok', 'ok', 'X'],
  completed: ['X', 'X', '=', 'X', 'ok'],
  rejected: ['X', 'ok', 'ok', '=', 'X'],
  settled: ['X', 'X', 'X', 'X', '='],
};

/** The proofs that bring a report there. */
const WAY: Readonly<Record<Status, readonly Status[]>> = {
  created: [],
  pending: ['pending'],
  completed: ['pending', 'completed'],
  rejected: ['rejected'],
  settled: ['pending', 'completed', 'settled'],
};

const server = withServer();

async function withReport(way: readonly Status[] = []): Promise<{ client: TestClient; report: RecordEnvelope }> {
  const client = await newLedger(server.current.url);
  await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} });
  let report = await stored(client, 'report', { handle: 'r', schema: 'daily' });
  for (const status of way) report = ok(await client.prove('/reports/r', report, { status })).body;
  return { client, report };
}

describe.each(STATUSES)('a report that is %s', (from) => {
  it.each(STATUSES.map((to, index) => [to, TABLE[from][index]] as const))('asked to be %s: %s', async (to, outcome) => {
    const { client, report } = await withReport(WAY[from]);
    const proof = proofOver(report.hash, client.key, { status: to });
    const answer = await client.call('POST', '/reports/r/proofs', proof);
    const read = await client.get('/reports/r');
    const { total } = (await client.get('/reports/r/changes')).body.page;
    if (outcome === 'X') {
      const detail = `Proof contains invalid status change, from ${from} to ${to}`;
      expectRefusal(answer, client, 'record.update-rejected', detail);
      expect(read.body).toEqual(report);
    } else {
      const record = expectRecord(answer, 200, report.data);
      expect(read.text).toBe(answer.text);
      expect(record.meta.status).toBe(to);
      if (outcome === '=') expect(record).toEqual(report);
      else expect(record.meta.proofs).toEqual([...report.meta.proofs, { ...proof, origin: 'key-pair' }]);
    }
    expect(total).toBe(1 + WAY[from].length + (outcome === 'ok' ? 1 : 0));
  });

  it('takes notes, and can be dropped', async () => {
    const { client, report } = await withReport(WAY[from]);
    const noted = ok(await client.prove('/reports/r', report, { note: 'seen' })).body;
    expect(noted.meta.status).toBe(from);
    expect(noted.meta.proofs).toHaveLength(report.meta.proofs.length + 1);
    expect((await client.drop('/reports/r', noted)).status).toBe(204);
  });
});

describe('a report', () => {
  it('refuses a status that is none of its five', async () => {
    const { client, report } = await withReport();
    for (const status of ['dropped', 'active', 'Created']) {
      const message = 'must be equal to one of the allowed values: created, pending, completed, rejected, settled';
      const answer = await client.prove('/reports/r', report, { status });
      expectRefusal(
        answer,
        client,
        'record.schema-invalid',
        `Schema validation error: request/body/custom/status ${message}`,
      );
      const told = { path: '/body/custom/status', message, errorCode: 'enum.openapi.validation' };
      expect(answer.body.data.custom.errors).toEqual([expect.objectContaining(told)]);
    }
    expect((await client.get('/reports/r')).body).toEqual(report);
  });

  it('refuses a forged repeat too', async () => {
    const { client, report } = await withReport();
    const proof = proofOver('0'.repeat(64), client.key, { status: 'created' });
    const answer = await client.call('POST', '/reports/r/proofs', proof);
    expectRefusal(answer, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
    expect((await client.get('/reports/r')).body).toEqual(report);
  });

  it('keeps reason and detail of a rejection as they were signed', async () => {
    const { client, report } = await withReport();
    const custom = { status: 'rejected', reason: 'bridge.report-failed', detail: 'No such account' };
    const rejected = ok(await client.prove('/reports/r', report, custom)).body;
    expect(rejected.meta.proofs.at(-1).custom).toMatchObject(custom);
  });

  it('is found by status and schema', async () => {
    const { client, report } = await withReport(['pending']);
    await stored(client, 'report', { handle: 'r2', schema: 'daily' });
    const found = async (query: string) =>
      expectList(await client.get(`/reports?${query}`), client, { index: 0, limit: 20 }).map(({ data }) => data.handle);
    expect(await found('meta.status=pending')).toEqual([report.data.handle]);
    expect(await found('data.schema=daily')).toEqual(['r2', 'r']);
    expect(await found('data.schema=weekly')).toEqual([]);
  });
});

describe('the assets of a report (interface/reports#assets)', () => {
  const assets = [
    { handle: 'a.csv', output: 'gs://bucket/a.csv' },
    { handle: 'b.csv', output: 'https://files.example/b.csv' },
  ];

  it('come with the proof that completes it, and stay when it is settled', async () => {
    const { client, report } = await withReport(['pending']);
    const completed = ok(await client.prove('/reports/r', report, { status: 'completed', assets }));
    expect(Object.keys(completed.body.meta)).toEqual(['assets', 'proofs', 'status', 'moment', 'owners']);
    expect(completed.body.meta.assets).toEqual(assets);
    expect((await client.get('/reports/r')).text).toBe(completed.text);
    const settled = ok(await client.prove('/reports/r', report, { status: 'settled' })).body;
    expect(settled.meta.assets).toEqual(assets);
    expect((await client.get('/reports/r/changes/3')).body.meta.assets).toEqual(assets);
    expect((await client.get('/reports/r/changes/2')).body.meta.assets).toBeUndefined();
  });

  it('may be none', async () => {
    const { client, report } = await withReport(['pending']);
    expect(ok(await client.prove('/reports/r', report, { status: 'completed', assets: [] })).body.meta.assets).toEqual(
      [],
    );
  });

  it('are not there without such a member, nor from any other proof', async () => {
    const { client, report } = await withReport();
    for (const custom of [
      { assets },
      { status: 'pending', assets },
      { status: 'completed' },
      { status: 'settled', assets },
    ]) {
      const proved: RecordEnvelope = ok(await client.prove('/reports/r', report, custom)).body;
      expect(proved.meta.assets).toBeUndefined();
      if ('assets' in custom) expect(proved.meta.proofs.at(-1)?.custom?.assets).toEqual(assets);
    }
  });

  it('are not looked at when it is completed already', async () => {
    const { client, report } = await withReport(['pending', 'completed']);
    const repeated = ok(await client.prove('/reports/r', report, { status: 'completed', assets })).body;
    expect(repeated).toEqual(report);
  });

  it.each<[string, JsonObject[string], string]>([
    ['no list', 'a.csv', 'Report assets must be a list'],
    ['without output', [{ handle: 'a' }], 'A report asset must have a handle and an output'],
    ['with an empty handle', [{ handle: '', output: 'x' }], 'A report asset must have a handle and an output'],
    ['no objects', ['a'], 'A report asset must have a handle and an output'],
    ['named twice', [assets[0]!, assets[0]!], 'Report asset with handle a.csv is named twice'],
  ])('are refused when they are %s', async (_, given, detail) => {
    const { client, report } = await withReport(['pending']);
    const answer = await client.prove('/reports/r', report, { status: 'completed', assets: given });
    expectRefusal(answer, client, 'record.invalid', detail);
    expect((await client.get('/reports/r')).body).toEqual(report);
  });
});
