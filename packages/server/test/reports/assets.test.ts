import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenFile } from '../../src/base/contained-file.js';
import { assetLimits } from '../../src/kinds/reports/asset-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestAnswer, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer, withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

let top: string;
let folder: string;
let database: TestDatabase;
let server: RunningServer;

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'countersign-assets-')));
  folder = join(top, 'assets');
  await mkdir(folder);
  await writeFile(join(top, 'secret.txt'), 'a secret of the operator');
  database = await createMigratedDatabase();
  server = await startServer({ database, reportAssetsDir: folder });
});

afterAll(async () => {
  await server.stop();
  await database.drop();
  await rm(top, { recursive: true, force: true });
});

/** A completed report that names these assets, and where its files lie. */
async function completed(handles: readonly string[], domain?: string) {
  const client = await newLedger(server.url);
  if (domain !== undefined) await stored(client, 'domain', { handle: domain });
  await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} });
  const handle = domain === undefined ? 'r' : `r@${domain}`;
  const path = `/reports/${encodeURIComponent(handle)}`;
  let report = await stored(client, 'report', { handle, schema: 'daily' });
  const assets = handles.map((one) => ({ handle: one, output: `file:///etc/${one}` }));
  for (const custom of [{ status: 'pending' }, { status: 'completed', assets }]) {
    report = ok(await client.prove(path, report, custom)).body;
  }
  const domains = domain === undefined ? [] : ['domains', domain];
  const place = join(folder, 'ledgers', client.ledger!, ...domains, 'schemas/daily/reports', report.luid, 'assets');
  await mkdir(place, { recursive: true });
  return { client, report, path, place };
}

const download = (client: TestClient, path: string, asset: string, headers: Record<string, string> = {}) =>
  fetch(`${client.url}${path}/assets/${asset}`, { headers: { 'x-ledger': client.ledger!, ...headers } });

describe('`GET /reports/{id}/assets/{asset}` from a configured folder', () => {
  it('sends the file, to be saved under its name', async () => {
    const { client, report, path, place } = await completed(['a.csv']);
    const bytes = randomBytes(300_000);
    await writeFile(join(place, 'a.csv'), bytes);
    for (const at of [path, `/reports/${encodeURIComponent(report.luid)}`]) {
      const answer = await download(client, at, 'a.csv');
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': '300000',
        'content-disposition': `attachment; filename="a.csv"; filename*=UTF-8''a.csv`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'no-store',
      });
    }
  });

  it('sends an empty file, and one of a report in a domain', async () => {
    const { client, path, place } = await completed(['empty', 'full'], 'sales');
    await writeFile(join(place, 'empty'), '');
    await writeFile(join(place, 'full'), 'of sales');
    expect(await (await download(client, path, 'empty')).text()).toBe('');
    expect(await (await download(client, path, 'full')).text()).toBe('of sales');
    const head = await fetch(`${client.url}${path}/assets/full`, {
      method: 'HEAD',
      headers: { 'x-ledger': client.ledger! },
    });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '8']);
  });

  it('streams a large file', async () => {
    const { client, path, place } = await completed(['large']);
    const chunk = randomBytes(1024 * 1024);
    const bytes = Buffer.concat(Array.from({ length: 48 }, () => chunk));
    await writeFile(join(place, 'large'), bytes);
    const answer = await download(client, path, 'large');
    const hash = createHash('sha256');
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) hash.update(part);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it.each([
    ['ünï "x".csv', `filename="_n_ _x_.csv"`.replaceAll(' ', '_'), '%C3%BCn%C3%AF%20%22x%22.csv'],
    ['a\r\nset-cookie: b', 'filename="a__set-cookie__b"', 'a%0D%0Aset-cookie%3A%20b'],
    ["it's (1)*.csv", 'filename="it_s__1__.csv"', 'it%27s%20%281%29%2A.csv'],
  ])('names %j in a header that it does not end', async (name, plain, encoded) => {
    const { client, path, place } = await completed([name]);
    await writeFile(join(place, name), 'x');
    const answer = await download(client, path, encodeURIComponent(name));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; ${plain}; filename*=UTF-8''${encoded}`);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('404 `Asset <handle> not found` where the report does not name it, or there is no such file', async () => {
    const { client, path, place } = await completed(['named']);
    await writeFile(join(place, 'unnamed'), 'not published');
    for (const asset of ['named', 'unnamed', 'x'.repeat(300), 'toString']) {
      expectRefusal(
        await client.get(`${path}/assets/${asset}`),
        client,
        'record.not-found',
        `Asset ${asset} not found`,
      );
    }
    const pending = await stored(client, 'report', { handle: 'without', schema: 'daily' });
    expect(pending.meta.assets).toBeUndefined();
    const without = await client.get('/reports/without/assets/named');
    expectRefusal(without, client, 'record.not-found', 'Asset named not found');
    expectRefusal(await client.get('/reports/none/assets/named'), client, 'record.not-found', 'Report not found');
  });

  it('404 where the operator has named no folder', async () => {
    const { client, path, place } = await completed(['named']);
    await writeFile(join(place, 'named'), 'x');
    const other = await startServer({ database });
    const elsewhere = new TestClient(other.url, client.key, client.ledger);
    const answer = await elsewhere.get(`${path}/assets/named`);
    await other.stop();
    expectRefusal(answer, client, 'record.not-found', 'Asset named not found');
  });

  it('is for who may read the report', async () => {
    const { client, report, place } = await completed(['a']);
    await writeFile(join(place, 'a'), 'for readers');
    const reader = newKey();
    const closed = { access: [{ action: 'read', record: 'report', bearer: { $signer: { public: reader.public } } }] };
    const ledger = (await client.get('/ledger')).body as RecordEnvelope;
    ok(await client.update('/ledger', ledger, { handle: client.ledger!, ...closed }));
    const path = `/reports/${encodeURIComponent(report.luid)}`;
    const seen = await download(client, path, 'a', bearer(reader));
    expect(await seen.text()).toBe('for readers');
    const refused = await client.get(`${path}/assets/a`, bearer(newKey()));
    expectRefusal(refused, client, 'auth.forbidden', 'Cannot read report.');
    expectRefusal(
      await client.get(`${path}/assets/a`),
      client,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
    // Not even whether there is such an asset.
    expectRefusal(
      await client.get(`${path}/assets/b`),
      client,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
    const stranger = await newLedger(server.url);
    expectRefusal(await stranger.get(`${path}/assets/a`), stranger, 'record.not-found', 'Report not found');
  });
});

describe('so many files of a ledger at a time', () => {
  it('and not one more: 503', async () => {
    const { client, path, place } = await completed(['a']);
    await writeFile(join(place, 'a'), 'bytes');
    const { service } = server.server;
    const { id } = await service.ledgers.resolve(client.ledger!);
    const steps = relative(folder, join(place, 'a')).split('/');
    const held = await Promise.all(Array.from({ length: assetLimits.each }, () => service.openAsset!(id, steps)));
    const refused = await client.get(`${path}/assets/a`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    held[0]!.close();
    await eventually(async () => expect((await download(client, path, 'a')).status).toBe(200));
    for (const file of held) file!.close();
  });

  it('and a file that is opened too late for its answer is closed', async () => {
    const { client, path, place } = await completed(['a']);
    await writeFile(join(place, 'a'), 'bytes');
    const { service } = server.server;
    const { openAsset, requestTimeout } = service;
    let late = () => {};
    const answered = new Promise<void>((resolve) => {
      late = resolve;
    });
    let opened: Promise<OpenFile | undefined> | undefined;
    const slow: typeof openAsset = (ledger, steps) => {
      opened = answered.then(() => openAsset!(ledger, steps));
      return opened;
    };
    Object.assign(service, { requestTimeout: 100, openAsset: slow });
    try {
      const answer = await client.get(`${path}/assets/a`);
      expect(answer.status).toBe(408);
    } finally {
      Object.assign(service, { requestTimeout, openAsset });
      late();
    }
    await (await opened)!.closed;
  });
});

/** The answer to a path that is sent as it is. */
async function asked(client: TestClient, path: string): Promise<TestAnswer> {
  const { port, pathname } = new URL(client.url);
  const sent = request({ port, path: pathname + path, headers: { 'x-ledger': client.ledger! } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.toArray()).join('');
  const headers = new Headers(answer.headers as Record<string, string>);
  return { status: answer.statusCode!, headers, text, body: JSON.parse(text) };
}

describe('no way out of it', () => {
  it.each([
    '../../../../../../secret.txt',
    '..',
    '.',
    'a/b',
    'a\\b',
    '/etc/passwd',
    `${'../'.repeat(20)}etc/passwd`,
    'a\u0001\u007f',
    'x'.repeat(256),
  ])('not by an asset called %j', async (name) => {
    const { client, path, place } = await completed([name]);
    await mkdir(join(place, 'a'));
    await writeFile(join(place, 'a', 'b'), 'below');
    // As it is: `fetch` would take out the steps upwards itself.
    const answer = await asked(client, `${path}/assets/${encodeURIComponent(name)}`);
    expectRefusal(answer, client, 'record.not-found', `Asset ${name} not found`);
  });

  it('not by a symbolic link, be it the file or a folder on its way', async () => {
    const { client, path, place } = await completed(['link', 'inner']);
    await symlink(join(top, 'secret.txt'), join(place, 'link'));
    await writeFile(join(place, 'real'), 'beside');
    await symlink(join(place, 'real'), join(place, 'inner'));
    for (const asset of ['link', 'inner']) {
      expectRefusal(
        await client.get(`${path}/assets/${asset}`),
        client,
        'record.not-found',
        `Asset ${asset} not found`,
      );
    }
    const other = await completed(['secret.txt']);
    await rm(other.place, { recursive: true });
    await symlink(top, other.place);
    const answer = await other.client.get(`${other.path}/assets/secret.txt`);
    expectRefusal(answer, other.client, 'record.not-found', 'Asset secret.txt not found');
    const third = await completed(['assets']);
    await rm(dirname(third.place), { recursive: true });
    await symlink(dirname(place), dirname(third.place));
    expectRefusal(
      await third.client.get(`${third.path}/assets/assets`),
      third.client,
      'record.not-found',
      'Asset assets not found',
    );
  });

  it('not to what is no file', async () => {
    const { client, path, place } = await completed(['folder', 'pipe']);
    await mkdir(join(place, 'folder'));
    execFileSync('mkfifo', [join(place, 'pipe')]);
    for (const asset of ['folder', 'pipe']) {
      expectRefusal(
        await client.get(`${path}/assets/${asset}`),
        client,
        'record.not-found',
        `Asset ${asset} not found`,
      );
    }
  });

  it("through a folder that is a link itself, which is the operator's affair", async () => {
    const { client, path, place } = await completed(['a']);
    await writeFile(join(place, 'a'), 'there');
    await symlink(folder, join(top, 'linked'));
    const other = await startServer({ database, reportAssetsDir: join(top, 'linked') });
    const answer = await download(new TestClient(other.url, client.key, client.ledger), path, 'a');
    expect(await answer.text()).toBe('there');
    await other.stop();
  });
});

it('Delete report: generated report data stored outside the service is not deleted', async () => {
  const { client, report, path, place } = await completed(['a']);
  await writeFile(join(place, 'a'), 'kept');
  expect((await client.drop(path, report)).status).toBe(204);
  expect(await readFile(join(place, 'a'), 'utf8')).toBe('kept');
  // And nobody gets it any more.
  for (const id of ['r', encodeURIComponent(report.luid)]) {
    expectRefusal(await client.get(`/reports/${id}/assets/a`), client, 'record.not-found', 'Report not found');
  }
  // Neither does who makes a report of the same name.
  const again = await stored(client, 'report', { handle: 'r', schema: 'daily' });
  const pending = ok(await client.prove(path, again, { status: 'pending' })).body;
  const assets = [{ handle: 'a', output: 'x' }];
  ok(await client.prove(path, pending, { status: 'completed', assets }));
  expectRefusal(await client.get(`${path}/assets/a`), client, 'record.not-found', 'Asset a not found');
});

describe('the path rule for `output`, when a reporting bucket is configured', () => {
  const bucketed = withServer({ reportAssetsBucket: 'acme-reports' });

  /** A pending report, and the place of its files in the bucket. */
  async function pending(domain?: string) {
    const client = await newLedger(bucketed.current.url);
    if (domain !== undefined) await stored(client, 'domain', { handle: domain });
    await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: {} });
    const handle = domain === undefined ? 'r' : `r@${domain}`;
    const path = `/reports/${encodeURIComponent(handle)}`;
    const made = await stored(client, 'report', { handle, schema: 'daily' });
    const report: RecordEnvelope = ok(await client.prove(path, made, { status: 'pending' })).body;
    const inDomain = domain === undefined ? '' : `/domains/${domain}`;
    const place = `gs://acme-reports/ledgers/${client.ledger}${inDomain}/schemas/daily/reports/${report.luid}/assets`;
    const complete = (output: string, asset = 'a.csv') =>
      client.prove(path, report, { status: 'completed', assets: [{ handle: asset, output }] });
    return { client, report, path, place, complete };
  }

  it.each([undefined, 'sales'])('takes the place of the report, in domain %s', async (domain) => {
    const { complete, place } = await pending(domain);
    const output = `${place}/a.csv`;
    expect(ok(await complete(output)).body.meta.assets).toEqual([{ handle: 'a.csv', output }]);
  });

  it('names what is wrong, 422, and the report stays as it was', async () => {
    const { client, report, path, place, complete } = await pending();
    const { ledger, luid } = { ledger: client.ledger!, luid: report.luid };
    const other = luid.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const differs = (what: string) => `Error while validating asset, GCS URL ${what}`;
    const wrong: [output: string, detail: string][] = [
      ['https://files.example/a.csv', 'Invalid gs URL: https://files.example/a.csv'],
      [`${place}/../a.csv`, `Invalid gs URL: ${place}/../a.csv`],
      [`${place}/`, `Invalid gs URL: ${place}/`],
      [`x${place}/a.csv`, `Invalid gs URL: x${place}/a.csv`],
      [`${place}/a.csv\nb`, differs('filename (a.csv\nb) different than asset handle (a.csv)')],
      [`${place}/a.csv`.replace(ledger, 'theirs'), differs(`ledger (theirs) different than report ledger (${ledger})`)],
      [
        `${place}/a.csv`.replace('/schemas', '/domains/sales/schemas'),
        differs('domain (sales) different than report domain (none)'),
      ],
      [`${place}/a.csv`.replace('daily', 'weekly'), differs('schema (weekly) different than report schema (daily)')],
      [`${place}/a.csv`.replace(luid, other), differs(`report id (${other}) different than report id (${luid})`)],
      [
        `${place}/a.csv`.replace('acme-reports', 'theirs'),
        differs('bucket (theirs) different than reporting bucket (acme-reports)'),
      ],
      [`${place}/b.csv`, differs('filename (b.csv) different than asset handle (a.csv)')],
      // The ledger comes first.
      [`${place}/b.csv`.replace(ledger, 'theirs'), differs(`ledger (theirs) different than report ledger (${ledger})`)],
    ];
    for (const [output, detail] of wrong) {
      expectRefusal(await complete(output), client, 'record.invalid', detail);
    }
    expect((await client.get(path)).body).toEqual(report);
  });

  it('names the domain of a report that is in one', async () => {
    const { client, place, complete } = await pending('sales');
    const outside = `${place}/a.csv`.replace('/domains/sales', '');
    const detail = 'Error while validating asset, GCS URL domain (none) different than report domain (sales)';
    expectRefusal(await complete(outside), client, 'record.invalid', detail);
  });

  it('repeats 2,048 characters of an output that is too long, and no more', async () => {
    const { client, place, complete } = await pending();
    const name = 'x'.repeat(2_048 - place.length - 1);
    const beyond = `${place}/${name}x`;
    expectRefusal(
      await complete(beyond, `${name}x`),
      client,
      'record.invalid',
      `Invalid gs URL: ${beyond.slice(0, 2_048)}`,
    );
    ok(await complete(`${place}/${name}`, name));
  });
});
