import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import { kindNamed } from '../../src/kinds/registry.js';
import { ask, grant, oauthLedger } from '../oauth/scene.js';
import { OPEN, signed, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { collectionOf } from '../support/scene.js';
import { bearer } from '../support/token.js';
import type { RecordedClient, Recorder } from './recorder.js';
import { RECORDS } from './records.js';

/** The status that a proof asks for, where it is another than `active`; nothing for records that no proof moves. */
const STATUS: Readonly<Record<string, string | undefined>> = { report: 'pending', intent: undefined };

/** What a ledger is used for, from its making on: every operation at least once. */
export async function play(outside: RecordedClient, files: string): Promise<void> {
  const client = await playLedger(outside);
  const made = new Map<string, RecordEnvelope>();
  for (const [name, data, secret] of RECORDS) {
    const record = await playRecord(client, name, data(''), secret);
    made.set(name, record);
    await playDrops(client, name, data, secret);
  }
  await playMoney(client);
  await playDeliveries(client);
  await playReport(client, made.get('report') as RecordEnvelope, files);
  await playLookups(client);
  for (const path of ['/', '/ledger']) await client.get(path);
  await playLog(client);
  await playJournal(outside);
}

/** The journal of another ledger, which keeps one. */
async function playJournal(outside: RecordedClient): Promise<void> {
  const data = { handle: 'watched', signer: 'system', access: OPEN, config: { 'request.journalingEnabled': true } };
  await silent(outside).create('/ledgers', data);
  const client = outside.in('watched');
  await silent(client).create('/wallets', { handle: 'w' });
  const entry = await eventually(async () => {
    const { body } = await silent(client).get('/system/requests');
    expect(body.data).toHaveLength(1);
    return body.data[0];
  });
  for (const path of ['/system/requests', `/system/requests/${entry.luid}`]) {
    const { status, text } = await silent(client).get(path);
    client.recorder.keep('GET', path, undefined, {
      status,
      answer: JSON.parse(text.replaceAll('127.0.0.1', '203.0.113.7')),
    });
  }
}

/** The log as the owner of the ledger reads it, and as everybody does. */
async function playLog(client: RecordedClient): Promise<void> {
  const { data } = (await client.get('/ledger/log')).body;
  await client.get('/ledger/log/consistency?from=1&to=8');
  const { luid } = (await client.get('/ledger')).body;
  const base = `/log/${luid.slice(1)}`;
  for (const path of ['checkpoint', 'vkeys', 'tile/0/000.p/2', 'tile/entries/000.p/2']) {
    const answer = await fetch(`${client.url.replace(/\/v2$/, '')}${base}/${path}`);
    const isText = !path.startsWith('tile');
    const shown = isText ? { answer: await answer.text() } : { answer: '<bytes>' };
    client.recorder.keep('GET', `${base}/${path.replace('.p/2', '')}`, undefined, { status: answer.status, ...shown });
  }
  expect(data.size).toBeGreaterThan(8);
}

async function playLedger(outside: RecordedClient): Promise<RecordedClient> {
  const path = '/ledgers/acme';
  const data = { handle: 'acme', signer: 'system', access: [...OPEN, { action: 'erase', record: 'any' }] };
  await outside.create('/ledgers', data);
  const client = outside.in('acme');
  const at = '/ledger';
  const { body: record } = await client.get(at);
  const { body: updated } = await client.update(at, record, { ...data, custom: { town: 'Split' } });
  await outside.get('/ledgers', bearer(outside.key));
  await outside.get(path);
  await outside.update(path, updated, { ...data, custom: { town: 'Zagreb' } });
  await playReads(client, 'ledger', at, (await client.get(at)).body);
  return client;
}

/** The life of a record up to its drop. */
async function playRecord(
  client: RecordedClient,
  name: (typeof RECORDS)[number][0],
  data: JsonObject,
  secret?: JsonObject,
): Promise<RecordEnvelope> {
  const kind = kindNamed(name);
  const collection = collectionOf(kind, data);
  const { body: record } = await make(client, collection, data, secret);
  await client.get(`${collection}?page.limit=1`);
  const path = `${collection}/${encodeURIComponent(String(data.handle ?? data.signer))}`;
  if (!kind.lifecycle.operations.includes('update')) return playReads(client, name, path, record);
  const custom = { ...(data.custom as JsonObject | undefined), note: 'changed' };
  return playReads(client, name, path, (await client.update(path, record, { ...data, custom })).body);
}

function make(client: RecordedClient, collection: string, data: JsonObject, secret?: JsonObject) {
  const { meta, ...body } = signed(data, client.key);
  return client.call('POST', collection, { ...body, meta: { ...meta, ...(secret ? { secret } : {}) } });
}

async function playReads(client: RecordedClient, name: string, path: string, record: RecordEnvelope) {
  const { operations, proofAliases = [] } = kindNamed(name as 'wallet').lifecycle;
  await client.get(path);
  if (operations.includes('proof')) {
    const status = name in STATUS ? STATUS[name] : 'active';
    await client.prove(path, record, status === undefined ? { note: 'seen' } : { status });
    for (const alias of proofAliases) await client.prove(path, record, { note: 'seen' }, alias);
  }
  await client.get(`${path}/changes?page.limit=2`);
  await client.get(`${path}/changes/1`);
  // Once it is sealed.
  await eventually(() => client.get(`${path}/changes/1/inclusion`));
  if (operations.includes('check')) {
    await client.call('POST', `${path}/access/!check`, signed({ action: 'read' }, client.key, {}));
  }
  return record;
}

/** Two more records of the kind, to be dropped in both ways. */
async function playDrops(
  client: RecordedClient,
  name: (typeof RECORDS)[number][0],
  data: (typeof RECORDS)[number][1],
  secret?: JsonObject,
): Promise<void> {
  const kind = kindNamed(name);
  for (const more of ['-2', '-3']) {
    // Those that others below name.
    if (!kind.lifecycle.operations.includes('drop') && name !== 'signer') continue;
    const collection = collectionOf(kind, data(more));
    const { body: record } = await make(client, collection, data(more), secret);
    if (name === 'signer') continue;
    const path = `${collection}/${record.luid}`;
    if (more === '-2') await client.drop(path, record);
    else {
      await client.call('POST', `${path}/drop`, dropBody(client, record));
      const data = { luid: record.luid, change: 2, reason: 'Asked for by the customer' };
      await client.call('POST', `${path}/erase`, signed(data, client.key, { status: 'erased' }));
    }
  }
}

function dropBody(client: RecordedClient, record: RecordEnvelope) {
  return signed({ parent: record.hash }, client.key, { status: 'dropped' }, { luid: record.luid });
}

async function playMoney(client: RecordedClient): Promise<void> {
  await eventually(async () => expect((await silent(client).get('/intents/sale')).body.meta.status).toBe('completed'));
  await client.get('/intents/sale');
  await client.get('/wallets/shop/balances');
  await client.get('/wallets/shop/limits');
  await playErasedIntent(client);
}

/** One that is erased in force. */
async function playErasedIntent(client: RecordedClient): Promise<void> {
  const claims = [{ action: 'issue', target: 'shop', symbol: 'usd', amount: 1 }];
  const { body } = await client.create('/intents', { handle: 'gift', claims });
  const path = `/intents/${body.luid}`;
  await eventually(async () => expect((await silent(client).get(path)).body.meta.status).toBe('completed'));
  const { total } = (await client.get(`${path}/changes`)).body.page;
  const data = { luid: body.luid, change: total, reason: 'Asked for by the customer' };
  await client.call('POST', `${path}/erase`, signed(data, client.key, { status: 'erased' }));
}

/** The same client without a recorder, which keeps the first answer: that of a poll may come too early. */
function silent({ url, key, ledger }: RecordedClient): TestClient {
  return new TestClient(url, key, ledger);
}

async function playDeliveries(client: RecordedClient): Promise<void> {
  const tried = async () => {
    const { body } = await silent(client).get('/effects/watch/events');
    const isTried = ({ meta }: { meta: { status: string; output: unknown } }) =>
      meta.status === 'erased' || meta.output !== null;
    expect(body.data.filter(isTried)).toHaveLength(body.data.length);
    expect(body.data[0]?.meta.replay).toBeGreaterThan(0);
    return body.data[0].data.handle as string;
  };
  await client.create('/wallets', { handle: 'kiosk', custom: { tier: 'gold' } });
  let handle = '';
  await eventually(async () => {
    handle = await tried();
  });
  for (const path of ['/effects/watch', '/bridges/bank']) {
    await client.get(`${path}/events`);
    await client.get(`${path}/events/${handle}`);
    await client.call('POST', `${path}/events/retry`, signed({ maxAge: 60 }, client.key, {}));
    await client.call('POST', `${path}/activate`, signed({ maxAge: 60 }, client.key, {}));
  }
}

async function playReport(client: RecordedClient, report: RecordEnvelope, files: string): Promise<void> {
  const folder = join(files, 'ledgers/acme/schemas/daily/reports', report.luid, 'assets');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'takings.csv'), 'day,total\n2030-01-01,2500\n');
  const assets = [{ handle: 'takings.csv', output: 'file:///takings.csv' }];
  await client.prove('/reports/takings', report, { status: 'completed', assets });
  await client.get('/reports/takings/assets/takings.csv');
}

async function playLookups(client: RecordedClient): Promise<void> {
  await client.get('/wallets/shop/anchors');
  const sought = { wallet: 'shop', target: 'account:105' };
  await client.call('POST', '/wallets/shop/anchors/!lookup', signed(sought, client.key, {}));
  await client.get('/wallets/shop/domains');
}

/** A token for made-up credentials; what is kept of it is its form. */
export async function playToken(recorder: Recorder, url: string): Promise<void> {
  const { client, credentials } = await oauthLedger(url);
  const { status, body } = await ask(client, grant(credentials));
  const request = grant({ ...credentials, secret: '<secret>' });
  recorder.keep('POST', '/oauth/token', request, { status, answer: { ...body, access_token: '<JWT>' } });
}

/** What the server says of itself, above the interface. */
export async function playServer(recorder: Recorder, url: string): Promise<void> {
  const above = url.replace(/\/v2$/, '');
  for (const path of ['/health', '/health/live', '/health/ready']) {
    const answer = await fetch(above + path);
    recorder.keep('GET', path, undefined, { status: answer.status, answer: await answer.json() });
  }
  const { openapi, info } = (await (await fetch(`${url}/openapi.json`)).json()) as JsonObject;
  const { title, version } = info as JsonObject;
  const answer = { openapi, info: { title, version }, paths: {} };
  recorder.keep('GET', '/openapi.json', undefined, { status: 200, answer });
}
