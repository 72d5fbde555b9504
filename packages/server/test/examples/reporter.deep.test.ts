import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { ON, scheduledLedger, schedulePolicy } from '../schedules/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, signed } from '../support/client.js';
import { read } from '../support/documents.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { bearer } from '../support/token.js';
import { stepsOf, WINDOW, withReporters } from './reporter-scene.js';

const lineOf = ({ luid, data, meta, hash }: RecordEnvelope) =>
  `${[luid, data.handle, meta.status, meta.moment, hash].join(',')}\n`;
const HEADING = 'luid,handle,status,moment,hash\n';

describe('the example of a reporter', () => {
  const scene = withReporters();

  const download = (report: RecordEnvelope) =>
    fetch(`${scene.server.url}/reports/${encodeURIComponent(report.luid)}/assets/wallets.csv`, {
      headers: { 'x-ledger': scene.client.ledger! },
    });

  it('is a file of at most 200 lines, beside how it calls the ledger and what it generates', () => {
    const lines = (name: string) => read(`examples/reporter/${name}.mjs`).trimEnd().split('\n').length;
    expect([lines('reporter') <= 200, lines('ledger') <= 50, lines('wallets') <= 50]).toEqual([true, true, true]);
  });

  it('Reports are generated and move through a status lifecycle driven by proofs: the whole life', async () => {
    const wallets = [];
    for (const handle of ['ann', 'bob']) wallets.unshift(await stored(scene.client, 'wallet', { handle }));
    const reporter = await scene.subscribed();
    // create report | signal report-created | created
    const created = await scene.create();
    expect(created.meta.status).toBe('created');
    // pending, and completed with generated assets: by the reporter
    const completed = await scene.reached('completed');
    // It looks at the report once more: it is to find it so, before the test goes on.
    await eventually(() => expect(reporter.out).toMatch(/^evt_\S{17} \$rep\.\S{17} completed$/m));
    const { key, ledger } = scene.client;
    const system = created.meta.proofs.at(-1)!.public;
    expect(stepsOf(completed)).toEqual([
      ['created', key.public],
      ['created', system],
      ['pending', reporter.key],
      ['completed', reporter.key],
    ]);
    for (const { custom } of completed.meta.proofs.slice(2)) expect(custom).toMatchObject({ ledger, record: 'report' });
    const bytes = await readFile(scene.fileOf(completed));
    expect(bytes.toString()).toBe(HEADING + wallets.map(lineOf).join(''));
    const output = `${scene.gatewayUrl}/reports/${encodeURIComponent(created.luid)}/assets/wallets.csv`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(completed.meta.assets).toEqual([{ handle: 'wallets.csv', output, sha256 }]);
    const answer = await download(completed);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    // completed | settled
    const settled = ok(await scene.client.prove('/reports/r', completed, { status: 'settled' })).body;
    expect([settled.meta.status, (await download(settled)).status]).toEqual(['settled', 200]);
    // any | delete | generated report data stored outside the service is not deleted
    expect((await scene.client.drop('/reports/r', settled)).status).toBe(204);
    expect([(await download(settled)).status, (await readFile(scene.fileOf(settled))).equals(bytes)]).toEqual([
      404,
      true,
    ]);
    expect(reporter.err).toBe('');
  });

  it('puts the file of a report in a domain to its place, and names the bucket where there is one', async () => {
    await stored(scene.client, 'domain', { handle: 'sales' });
    await scene.subscribed({ REPORT_ASSETS_BUCKET: 'acme-reports' });
    await scene.create(WINDOW, 'r@sales');
    const report = await scene.reached('completed', 'r@sales');
    const inBucket = scene.fileOf(report).replace(scene.assets, 'gs://acme-reports');
    expect(report.meta.assets![0]!.output).toBe(inBucket);
    expect(inBucket).toContain('/domains/sales/');
    expect(await (await download(report)).text()).toBe(HEADING);
  });

  it('takes the wallets of the window, its start included and its end not, over several pages', async () => {
    const all: RecordEnvelope[] = [];
    for (let at = 0; at < 505; at += 5) {
      const some = [0, 1, 2, 3, 4].map((more) => stored(scene.client, 'wallet', { handle: `w${at + more}` }));
      all.push(...(await Promise.all(some)));
    }
    all.sort((a, b) => (a.meta.moment! < b.meta.moment! ? -1 : 1));
    const [start, end] = [all[1]!.meta.moment!, all.at(-1)!.meta.moment!];
    const within = all.filter(({ meta }) => meta.moment! >= start && meta.moment! < end);
    expect(within.length).toBeGreaterThan(490);
    await scene.subscribed();
    await scene.create({ start_timestamp: start, end_timestamp: end });
    const lines = (await (await download(await scene.reached('completed'))).text()).split(/(?<=\n)/);
    expect(lines.shift()).toBe(HEADING);
    expect(lines.sort()).toEqual(within.map(lineOf).sort());
    await scene.create(WINDOW, 'all');
    const whole = (await (await download(await scene.reached('completed', 'all'))).text()).split('\n');
    expect(whole).toHaveLength(all.length + 2);
  });

  it.each<[string, JsonObject, string]>([
    ['no window', {}, 'start_timestamp and end_timestamp must be moments, one after the other'],
    [
      'one that ends before it starts',
      { start_timestamp: WINDOW.end_timestamp!, end_timestamp: WINDOW.start_timestamp! },
      'start_timestamp and end_timestamp must be moments, one after the other',
    ],
    [
      'one of more than 366 days',
      { start_timestamp: '2024-01-01T00:00:00.000Z', end_timestamp: '2025-01-01T00:00:00.001Z' },
      'A window has 366 days at most',
    ],
  ])('signs created | rejected with a reason and detail for %s', async (_, custom, detail) => {
    const reporter = await scene.subscribed();
    await scene.create(custom);
    const report = await scene.reached('rejected');
    expect(stepsOf(report).slice(2)).toEqual([['rejected', reporter.key]]);
    expect(report.meta.proofs.at(-1)!.custom).toMatchObject({ reason: 'bridge.report-failed', detail });
    expect(scene.hasFile(report)).toBe(false);
  });

  it('takes a window of 366 days', async () => {
    await scene.subscribed();
    await scene.create({ start_timestamp: '2024-01-01T00:00:00.000Z', end_timestamp: '2025-01-01T00:00:00.000Z' });
    await scene.reached('completed');
  });

  it('signs pending | rejected when what it needs is refused', async () => {
    const reporter = await scene.subscribed();
    const refusal = JSON.stringify({ data: { reason: 'auth.forbidden', detail: 'Cannot query wallet.' } });
    scene.gateway.instead = ({ path }, response, forward) =>
      path.startsWith('/v2/wallets') ? response.writeHead(403).end(refusal) : forward();
    await scene.create();
    const report = await scene.reached('rejected');
    expect(stepsOf(report).slice(2)).toEqual([
      ['pending', reporter.key],
      ['rejected', reporter.key],
    ]);
    const detail = 'The ledger refuses the list of wallets: auth.forbidden: Cannot query wallet.';
    expect(report.meta.proofs.at(-1)!.custom).toMatchObject({ reason: 'bridge.report-failed', detail });
  });

  it('believes no list that the ledger has not signed', async () => {
    await stored(scene.client, 'wallet', { handle: 'ann' });
    const reporter = await scene.subscribed();
    const other = await newLedger(scene.server.url);
    const theirs = (await other.get('/wallets')).text;
    scene.gateway.instead = ({ path }, response, forward) =>
      path.startsWith('/v2/wallets') ? response.writeHead(200).end(theirs) : forward();
    await scene.create();
    await eventually(() => expect(reporter.err).toContain('A list of wallets is not what the ledger has signed'));
    expect((await scene.reached('pending')).meta.proofs).toHaveLength(3);
  });

  it('needs no rights in the ledger but those that its README tells', async () => {
    const { key } = await scene.newLedger();
    const reporter = await scene.subscribed();
    const shown = /```json\n(.*?)```/s.exec(read('examples/reporter/README.md'))?.[1] ?? '';
    const rules = JSON.parse(shown.replaceAll('<key>', reporter.key));
    const any = { action: 'any', record: 'any' };
    const access = [
      { ...any, signer: { public: key.public } },
      { ...any, bearer: { $signer: { public: key.public } } },
    ];
    const ledger = (await scene.client.get('/ledger')).body;
    ok(await scene.client.update('/ledger', ledger, { ...ledger.data, access: [...access, ...rules] }));
    ok(await scene.client.call('POST', '/wallets', signed({ handle: 'ann' }, key)));
    ok(await scene.client.call('POST', '/reports', signed({ handle: 'r', schema: 'wallets', custom: WINDOW }, key)));
    expect((await scene.client.get('/reports/r', bearer(newKey()))).status).toBe(403);
    const report = await eventually(async () => {
      const { data } = (await scene.client.get('/reports', bearer(key))).body;
      expect(data[0].meta.status).toBe('completed');
      return data[0];
    });
    expect(await readFile(scene.fileOf(report), 'utf8')).toMatch(/^luid.*\n\$wlt\.\S+,ann,created,.*\n$/);
  });

  it('stops where a status policy asks for other signers, and goes on at the next start', async () => {
    const policy = await stored(scene.client, 'policy', {
      handle: 'statuses',
      schema: 'status',
      record: 'report',
      values: [
        { status: { $in: ['created', 'completed', 'rejected', 'settled'] }, quorum: [] },
        { status: 'pending', quorum: [{ public: newKey().public }] },
      ],
    });
    const first = await scene.subscribed();
    await scene.create();
    await eventually(() => expect(first.err).toContain('A status policy leaves it created'));
    await first.stop('SIGKILL');
    expect((await scene.client.drop('/policies/statuses', policy)).status).toBe(204);
    const report = (await scene.client.get('/reports/r')).body;
    ok(await scene.client.prove('/reports/r', report, { status: 'pending' }));
    await scene.start();
    await scene.reached('completed');
  });
});

describe('a schedule policy and the example of a reporter', () => {
  let offset = 0;
  const scene = withReporters({ runtime: { now: () => Date.now() + offset, random: (bytes) => randomBytes(bytes) } });

  it('make a report each time: created by the ledger on time, completed by the reporter', async () => {
    scene.client = await scheduledLedger(scene.server.url, ON);
    const reporter = await scene.subscribed();
    await stored(scene.client, 'policy', schedulePolicy(['* * * * *']));
    const wallet = await stored(scene.client, 'wallet', { handle: 'ann' });
    await eventually(async () => expect((await scene.client.get('/reports')).body.data).toEqual([]));
    offset += 60_000 - ((Date.now() + offset) % 60_000);
    const report: RecordEnvelope = await eventually(async () => {
      const { data } = (await scene.client.get('/reports?meta.status=completed')).body;
      expect(data.length).toBeGreaterThan(0);
      return data.at(-1);
    });
    expect(stepsOf(report).slice(2)).toEqual([
      ['pending', reporter.key],
      ['completed', reporter.key],
    ]);
    const { start_timestamp: start, end_timestamp: end } = report.data.custom as Record<string, string>;
    expect(Date.parse(end!) - Date.parse(start!)).toBe(60_000);
    const isWithin = wallet.meta.moment! >= start! && wallet.meta.moment! < end!;
    expect(await readFile(scene.fileOf(report), 'utf8')).toBe(HEADING + (isWithin ? lineOf(wallet) : ''));
    const asset = await scene.client.get(`/reports/${report.data.handle}/assets/other.csv`);
    expectRefusal(asset, scene.client, 'record.not-found', 'Asset other.csv not found');
  });
});
