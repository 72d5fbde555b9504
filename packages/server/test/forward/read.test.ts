import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { allVerified, recordsIn } from '../../src/forwarding/answer.js';
import { listLimits } from '../../src/lists/list-limits.js';
import { outboundLimits } from '../../src/outbound/outbound-limits.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { exchange, requestText } from '../http/raw.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newKey, systemKeyOf } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const ledgerWith = (action: string, strategy?: string, options?: Parameters<typeof forwardingLedger>[3]) =>
  forwardingLedger(server.current.url, bridge.url, [aspect(action, strategy)], options);

describe('a read that is forwarded', () => {
  it('proxy: is answered with the record of the bridge', async () => {
    const client = await ledgerWith('read', 'proxy');
    const kept = bridge.keep(anchor('a'));
    const answer = await client.get('/anchors/a?include=everything');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual(kept);
    const { method, url, body } = bridge.only;
    expect([method, url, body]).toEqual(['GET', '/v2/anchors/a', undefined]);
  });

  it('proxy: goes to the bridge although the ledger has the record', async () => {
    const client = await ledgerWith('read', 'proxy');
    const record = await made(client, '/anchors', anchor('a'));
    const answer = await client.get('/anchors/a');
    expect([answer.status, answer.body.data]).toEqual([
      404,
      { reason: 'record.not-found', detail: 'Anchor not found' },
    ]);
    const kept = bridge.keep(anchor('a', { target: 'other' }));
    expect((await client.get(`/anchors/${record.luid}`)).body).toEqual(kept);
    expect(bridge.received.map(({ url }) => url)).toEqual(['/v2/anchors/a', '/v2/anchors/a']);
  });

  it.each(['fallback', 'synchronize', undefined])('%s: is answered by the ledger if it can', async (strategy) => {
    const client = await ledgerWith('read', strategy);
    const record = await made(client, '/anchors', anchor('a'));
    expect((await client.get('/anchors/a')).body).toEqual(record);
    expect(bridge.received).toEqual([]);
    const kept = bridge.keep(anchor('b'));
    expect((await client.get('/anchors/b')).body).toEqual(kept);
    expect((await client.get(`/anchors/${kept.luid}`)).status).toBe(404);
    bridge.records.set(kept.luid, kept);
    expect((await client.get(`/anchors/${kept.luid}`)).body).toEqual(kept);
  });

  it('refuses another record than the one that was asked for', async () => {
    const client = await ledgerWith('read', 'fallback');
    const other = bridge.keep(anchor('other')) as unknown as JsonObject;
    bridge.instead = () => ({ status: 200, body: other });
    expectRefusal(
      await client.get('/anchors/a'),
      client,
      'forward.invalid-response',
      'Invalid response from bridge bank',
    );
  });

  it('does not lead to another path of the bridge', async () => {
    const client = await ledgerWith('read', 'proxy');
    for (const id of ['..', '.', '%2e', '%2e%2e', '..%2fadmin', 'a%2fb', 'a%3fb', 'a%23b', 'a%5cb', '%20', 'a%00b']) {
      const request = requestText(`GET /v2/anchors/${id}`, { 'x-ledger': client.ledger ?? '' });
      const { status, body } = await exchange(server.current.url, [request]);
      expect([id, status, body.data.reason]).toEqual([id, 404, 'record.not-found']);
    }
    expect(bridge.received).toEqual([]);
  });

  it('is for those alone who may read', async () => {
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'read', record: 'any', bearer: { $signer: { public: key.public } } },
    ];
    const client = await ledgerWith('read', 'proxy', { key, access });
    bridge.keep(anchor('a'));
    expect((await client.get('/anchors/a')).status).toBe(401);
    expect(bridge.received).toEqual([]);
    expect((await client.get('/anchors/a', bearer(key))).status).toBe(200);
  });

  it('is judged once more by what the bridge has', async () => {
    const key = newKey();
    const config = { 'access.strategy': 'policy-based' };
    const access = [{ action: 'any', record: 'any' }];
    const client = await ledgerWith('read', 'fallback', { key, access });
    const values = [
      { action: 'access', record: 'ledger' },
      { action: 'any', record: { $nin: ['anchor'] } },
      { action: 'read', record: 'anchor', filter: { schema: { $ne: 'private' } } },
    ];
    const policy = await made(client, '/policies', { handle: 'rules', schema: 'access', values });
    expect((await client.prove('/policies/rules', policy, { status: 'active' })).status).toBe(200);
    const ledger: RecordEnvelope = (await client.get('/ledger')).body;
    expect((await client.update('/ledger', ledger, { ...ledger.data, config })).status).toBe(200);
    bridge.keep(anchor('open'));
    bridge.keep(anchor('hidden', { schema: 'private' }));
    expect((await client.get('/anchors/open', bearer(key))).status).toBe(200);
    const hidden = await client.get('/anchors/hidden', bearer(key));
    expectRefusal(hidden, client, 'auth.forbidden', 'Cannot read anchor.');
  });
});

describe('a list that is forwarded', () => {
  it('proxy: is the list of the bridge, signed by the ledger', async () => {
    const client = await ledgerWith('query', 'proxy');
    await made(client, '/anchors', anchor('local'));
    const records = [bridge.keep(anchor('b')), bridge.keep(anchor('c'))];
    const data = expectList(await client.get('/anchors?data.target=x&page.limit=20'), client, { index: 0, limit: 20 });
    expect(data).toEqual(records);
    const { method, url, body } = bridge.only;
    expect([method, url, body]).toEqual(['GET', '/v2/anchors', undefined]);
  });

  it.each(['fallback', 'synchronize', undefined])('%s: is of the bridge when the ledger has none', async (strategy) => {
    const client = await ledgerWith('query', strategy);
    const kept = bridge.keep(anchor('b'));
    const page = { index: 0, limit: 20 };
    expect(expectList(await client.get('/anchors'), client, page)).toEqual([kept]);
    const local = await made(client, '/anchors', anchor('a'));
    expect(expectList(await client.get('/anchors'), client, page)).toEqual([local]);
    expect(expectList(await client.get('/anchors?data.handle=b'), client, page)).toEqual([kept]);
    expect(bridge.received).toHaveLength(2);
    expect(expectList(await client.get('/anchors?page.index=1'), client, { index: 1, limit: 20 })).toEqual([]);
    expect(bridge.received).toHaveLength(2);
  });

  it('is cut into pages, that whoever turns them comes to an end', async () => {
    const client = await ledgerWith('query', 'fallback');
    const records = ['a', 'b', 'c'].map((handle) => bridge.keep(anchor(handle)));
    const paged = async (index: number) => {
      const answer = await client.get(`/anchors?page.limit=2&page.index=${index}`);
      return expectList(answer, client, { index, limit: 2 });
    };
    expect([await paged(0), await paged(1), await paged(2)]).toEqual([records.slice(0, 2), records.slice(2), []]);
  });

  it('shows of each proof whose it is, and believes no claim of that', async () => {
    const client = await ledgerWith('query', 'proxy');
    const record = bridge.keep(anchor('a'), client.key);
    const claimed = record.meta.proofs.map((proof) => ({ ...proof, signer: 'system', origin: 'key-pair' as const }));
    bridge.records.set('a', { ...record, meta: { ...record.meta, proofs: claimed } });
    await made(client, '/signers', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
    const [shown] = expectList(await client.get('/anchors'), client, { index: 0, limit: 20 });
    const [own, banks] = shown!.meta.proofs;
    expect(own).toMatchObject({ signer: 'me', origin: 'key-pair' });
    expect(banks).not.toHaveProperty('signer');
    expect(banks).not.toHaveProperty('origin');
    expect(shown!.meta.proofs.map((proof) => proof.public)).not.toContain(systemKeyOf(client));
  });

  it.each<[string, (record: RecordEnvelope) => JsonObject, string]>([
    ['without a hash', ({ data }) => ({ data }), 'Invalid dto hash: undefined'],
    ['with another hash', (record) => ({ ...record, hash: 'f'.repeat(64) }), `Invalid dto hash: ${'f'.repeat(64)}`],
    ['whose hash is no text', (record) => ({ ...record, hash: 7 }), 'Invalid dto hash: 7'],
  ])('refuses an item %s', async (_, changed, detail) => {
    const client = await ledgerWith('query', 'proxy');
    const record = bridge.keep(anchor('a'));
    bridge.instead = () => ({ status: 200, body: { data: [changed(record)] } });
    expectRefusal(await client.get('/anchors'), client, 'crypto.hash-invalid', detail);
  });

  it.each([{}, { meta: {} }, { meta: { proofs: [] } }, { meta: { proofs: {} } }])(
    'refuses a record, alone or in a list, that nobody signed: %j',
    async (unsigned) => {
      const client = await ledgerWith('query', 'proxy');
      const one = await ledgerWith('read', 'proxy');
      const { hash, data, luid } = bridge.keep(anchor('a')) as RecordEnvelope;
      bridge.instead = ({ url }) => {
        const record = { hash, data, luid, ...unsigned };
        return { status: 200, body: url.endsWith('/a') ? record : { data: [record] } };
      };
      const detail = 'Invalid response from bridge bank';
      expectRefusal(await client.get('/anchors'), client, 'forward.invalid-response', detail);
      expectRefusal(await one.get('/anchors/a'), one, 'forward.invalid-response', detail);
    },
  );

  it.each([{}, { data: {} }, { data: ['a'] }, { data: [null] }, [], 'text', null])('refuses %j', async (body) => {
    const client = await ledgerWith('query', 'proxy');
    bridge.instead = () => ({ status: 200, body });
    expectRefusal(
      await client.get('/anchors'),
      client,
      'forward.invalid-response',
      'Invalid response from bridge bank',
    );
  });

  it(`may have ${listLimits.page.greatest} records, and not one more`, async () => {
    const client = await ledgerWith('query', 'proxy');
    const record = bridge.keep(anchor('a')) as unknown as JsonObject;
    const listing = (count: number) => {
      bridge.instead = () => ({ status: 200, body: { data: Array.from({ length: count }, () => record) } });
      return client.get(`/anchors?page.limit=${count}`);
    };
    expect((await listing(listLimits.page.greatest)).body.data).toHaveLength(listLimits.page.greatest);
    const detail = 'Invalid response from bridge bank';
    expectRefusal(await listing(listLimits.page.greatest + 1), client, 'forward.invalid-response', detail);
  });

  it(`may have ${outboundLimits.proofs} proofs, and not one more`, async () => {
    const client = await ledgerWith('query', 'proxy');
    const record = bridge.keep(anchor('a'));
    const [proof] = record.meta.proofs;
    const { proofs: most } = recordLimits;
    const withProofs = (count: number) => ({ ...record, meta: { proofs: Array.from({ length: count }, () => proof) } });
    const full = Array.from({ length: outboundLimits.proofs / most }, () => withProofs(most));
    const listing = (records: object[]) => {
      bridge.instead = () => ({ status: 200, body: { data: records as unknown as JsonObject[] } });
      return client.get('/anchors?page.limit=1');
    };
    expect((await listing(full)).body.data).toHaveLength(1);
    const detail = 'Invalid response from bridge bank';
    expectRefusal(await listing([...full, withProofs(1)]), client, 'forward.invalid-response', detail);
    expectRefusal(await listing([withProofs(most + 1)]), client, 'forward.invalid-response', detail);
  });

  it('is verified as far as it is shown', async () => {
    const client = await ledgerWith('query', 'proxy');
    const record = bridge.keep(anchor('a'));
    const [proof] = record.meta.proofs;
    const proofs = Array.from({ length: recordLimits.proofs }, () => proof);
    const full = Array.from({ length: 39 }, () => ({ ...record, meta: { proofs } }));
    const { result } = proof!;
    const altered = { ...proof, result: `${result.startsWith('A') ? 'B' : 'A'}${result.slice(1)}` };
    const forged = { ...record, meta: { proofs: [altered] } };
    bridge.instead = () => ({ status: 200, body: { data: [...full, forged] as unknown as JsonObject[] } });
    const answer = await client.get('/anchors?page.limit=39');
    expect(answer.body.data).toHaveLength(39);
    expect((await client.get('/anchors?page.limit=40')).body.data.reason).toBe('crypto.signature-invalid');
    expect((await client.get('/anchors?page.index=1&page.limit=39')).body.data.reason).toBe('crypto.signature-invalid');
  });

  it('is read and verified with turns for others in between', async () => {
    const { service } = server.current.server;
    const list = bridge.list(Array.from({ length: 40 }, () => bridge.keep(anchor('a'))));
    let turns = 0;
    let counting = true;
    const count = () => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    const during = async <T>(work: Promise<T>): Promise<[T, number]> => {
      turns = 0;
      return [await work, turns];
    };
    count();
    const [records, read] = await during(recordsIn(service, 'bank', list));
    const [, verified] = await during(allVerified(service, records));
    counting = false;
    expect([read, verified].every((one) => one >= 39)).toBe(true);
  });

  it('is for those alone who may query, and of what they may read', async () => {
    const key = newKey();
    const access = [{ action: 'any', record: 'any', signer: { public: key.public } }];
    const client = await ledgerWith('query', 'proxy', { key, access });
    expect((await client.get('/anchors')).status).toBe(401);
    expect((await client.get('/anchors', bearer(newKey()))).status).toBe(403);
    expect(bridge.received).toEqual([]);
    const ledger: RecordEnvelope = (await client.get('/ledger')).body;
    const config = { 'access.strategy': 'policy-based' };
    const values = [
      { action: 'access', record: 'ledger' },
      { action: 'read', record: 'anchor' },
      { action: 'query', record: 'anchor', filter: { schema: 'public' } },
    ];
    const policy = await made(client, '/policies', { handle: 'rules', schema: 'access', values });
    expect((await client.prove('/policies/rules', policy, { status: 'active' })).status).toBe(200);
    expect((await client.update('/ledger', ledger, { ...ledger.data, config })).status).toBe(200);
    bridge.keep(anchor('a'));
    const shown = bridge.keep(anchor('b', { schema: 'public' }));
    expect((await client.get('/anchors', bearer(newKey()))).body.data).toEqual([shown]);
  });
});
