import { type Json, type JsonObject, type RecordEnvelope, signProof } from '@countersign/protocol';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { filterLimits } from '../../src/access/filter-limits.js';
import { native } from '../../src/auth/native-suite.js';
import { founded, GATE, registered, underPolicies } from '../access-http/support.js';
import { createIn, divided } from '../domains/scene.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { anchorOf, handlesIn, lookUp, lookupPath } from './scene.js';

const server = withServer();
const MISMATCH = 'Address in the request does not match the address in the data';

/** A ledger with a wallet `shop` and one `other`. */
async function ledger(): Promise<TestClient> {
  const client = await newLedger(server.current.url);
  for (const handle of ['shop', 'other']) await stored(client, 'wallet', { handle });
  return client;
}

describe('POST /wallets/{id}/anchors/!lookup', () => {
  let client: TestClient;
  beforeAll(async () => {
    client = await ledger();
    await stored(client, 'anchor', anchorOf('shop', 'a', { symbol: 'usd', custom: { tier: 'gold', n: 5, on: true } }));
    await stored(client, 'anchor', anchorOf('other', 'x'));
    await stored(client, 'anchor', anchorOf('shop', 'b', { target: { handle: 'account:2', custom: { bank: 'k' } } }));
    await stored(client, 'anchor', anchorOf('shop', 'c', { custom: { tags: ['p', 'q'], deep: { er: { x: 1 } } } }));
  });

  it('takes an envelope with data.wallet and proofs, and answers { hash, data: [anchor], meta }', async () => {
    const answer = await client.call('POST', lookupPath('shop'), signed({ wallet: 'shop' }, client.key, {}));
    const data = expectList(answer, client);
    expect(data).toEqual(ok(await client.get('/anchors?data.wallet=shop')).body.data);
    expect(data.map((one) => one.data.handle)).toEqual(['c', 'b', 'a']);
  });

  it.each([
    [{ handle: 'b' }, ['b']],
    [{ handle: 'x' }, []],
    [{ target: 'account:1' }, ['c', 'a']],
    [{ target: { handle: 'account:2' } }, ['b']],
    [{ target: { handle: 'account:2', custom: { bank: 'k' } } }, ['b']],
    [{ target: { handle: 'account:2', custom: { bank: 'other' } } }, []],
    [{ symbol: 'usd' }, ['a']],
    [{ symbol: 'usd', target: 'account:2' }, []],
    [{ custom: { tier: 'gold' } }, ['a']],
    [{ custom: { tier: 'gold', n: 5, on: true } }, ['a']],
    [{ custom: { n: 6 } }, []],
    [{ custom: { on: false } }, []],
    [{ custom: { tags: 'q' } }, ['c']],
    [{ custom: { tags: ['q', 'p'] } }, ['c']],
    [{ custom: { tags: ['q', 'r'] } }, []],
    [{ custom: { deep: { er: { x: 1 } } } }, ['c']],
    [{ custom: { 'deep.er.x': 1 } }, ['c']],
    [{ custom: { deep: { er: { x: 2 } } } }, []],
    [{ custom: {}, symbol: null, target: {} }, ['c', 'b', 'a']],
    [{ nothing: 'known', amount: 7 }, ['c', 'b', 'a']],
  ] as [JsonObject, string[]][])('finds what is as the data says: %j', async (filters, found) => {
    expect(handlesIn(await lookUp(client, 'shop', filters))).toEqual(found);
  });

  it('needs data.wallet to be the very address of the path', async () => {
    const { luid } = ok(await client.get('/wallets/shop')).body;
    const sent = (path: string, data: JsonObject) =>
      client.call('POST', lookupPath(path), signed(data, client.key, {}));
    for (const data of [
      {},
      { wallet: 'other' },
      { wallet: luid },
      { wallet: 'Shop' },
      { wallet: 'shop ' },
      { wallet: null },
      { wallet: ['shop'] },
      { wallet: { handle: 'shop' } },
    ] as JsonObject[]) {
      expectRefusal(await sent('shop', data), client, 'record.invalid', MISMATCH);
    }
    expectRefusal(await sent(luid, { wallet: 'shop' }), client, 'record.invalid', MISMATCH);
    expect(handlesIn(await sent(luid, { wallet: luid, symbol: 'usd' }))).toEqual(['a']);
    for (const path of ['tel:9@shop', 'tel%3A9%40shop']) {
      expect(handlesIn(await sent(path, { wallet: 'tel:9@shop' }))).toEqual([]);
      expectRefusal(await sent(path, { wallet: 'tel%3A9%40shop' }), client, 'record.invalid', MISMATCH);
    }
    expect(handlesIn(await sent('ghost', { wallet: 'ghost' }))).toEqual([]);
  });

  it('is signed like a write', async () => {
    const data = { wallet: 'shop' };
    const body = signed(data, client.key, {});
    const refused = async (sent: unknown, reason: Parameters<typeof expectRefusal>[2], detail: string | RegExp) =>
      expectRefusal(await client.call('POST', lookupPath('shop'), sent), client, reason, detail);
    const missing = 'Ledger mutations must be signed.';
    await refused({ ...body, meta: { proofs: [] } }, 'crypto.signature-missing', missing);
    await refused({ hash: body.hash, data }, 'crypto.signature-missing', missing);
    const hash = 'a'.repeat(64);
    await refused({ ...body, hash }, 'crypto.hash-invalid', `Invalid record hash: ${hash}`);
    const other = signed({ wallet: 'shop', symbol: 'usd' }, client.key, {});
    await refused({ ...body, meta: other.meta }, 'crypto.signature-invalid', /^Invalid signature for key: /);
    await refused(undefined, 'record.schema-invalid', /^Schema validation error: request\/body/);
    for (const wrong of [null, [], 'x', 7]) {
      await refused({ ...body, data: wrong }, 'record.schema-invalid', /request\/body\/data must be object/);
    }
    await refused({ ...body, more: 1 }, 'record.schema-invalid', /must NOT have/);
    const meant = signed(data, client.key, { record: 'symbol' });
    await refused(meant, 'record.invalid', 'Record in the proof does not match the record of the request');
    ok(await client.call('POST', lookupPath('shop'), signed(data, client.key, { record: 'wallet' })));
  });

  it('may be sent again, stores nothing, and its proof makes no record', async () => {
    const body = signed({ wallet: 'shop' }, client.key, {});
    const before = ok(await client.get('/wallets/shop/changes')).body.data;
    const answers = [1, 2].map(async () => ok(await client.call('POST', lookupPath('shop'), body)).body.data);
    const [first, second] = await Promise.all(answers);
    expect(second).toEqual(first);
    expect(ok(await client.get('/wallets/shop/changes')).body.data).toEqual(before);
    expect(ok(await client.get('/anchors')).body.data).toHaveLength(4);
  });

  it('is refused with a proof that made a record, which whoever reads the record has', async () => {
    const made: RecordEnvelope = ok(await client.get('/anchors/a')).body;
    const [{ custom, digest, method, public: key, result }] = made.meta.proofs as [(typeof made.meta.proofs)[0]];
    const body = {
      hash: made.hash,
      data: made.data,
      meta: { proofs: [{ custom, digest, method, public: key, result }] },
    };
    const answer = await client.as(newKey()).call('POST', lookupPath('shop'), body);
    const detail = /^A proof in the request was used for another record\./;
    expectRefusal(answer, client, 'record.invalid', detail);
  });

  it('with a proof of the ledger is with no proof', async () => {
    const list = ok(await client.get('/wallets/shop/anchors')).body;
    // Of what the ledger signs for bridges, nothing counts as a caller's.
    const answer = await client.call('POST', lookupPath('shop'), {
      hash: list.hash,
      data: { wallet: 'shop' },
      meta: { proofs: list.meta.proofs.map(({ origin: _, signer: __, ...proof }: JsonObject) => proof) },
    });
    expect(answer.status).toBe(422);
    const key = newKey();
    const foreign = signProof({ hash: 'a'.repeat(64), custom: {}, ...key }, native);
    const wrong = { ...signed({ wallet: 'shop' }, key, {}), meta: { proofs: [{ ...foreign }] } };
    expect((await client.call('POST', lookupPath('shop'), wrong)).status).toBe(422);
  });

  it('whatever it says is answered, and no fault of the server', async () => {
    const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
    const members = ['handle', 'target', 'symbol', 'source', 'custom', 'amount', 'access', 'parent'];
    const data = fc.dictionary(fc.oneof(fc.constantFrom(...members), fc.string()), value, { maxKeys: 5 });
    const run = async (more: Record<string, Json>) => {
      const body = (() => {
        try {
          return signed({ ...more, wallet: 'shop' }, client.key, {});
        } catch {
          return undefined;
        }
      })();
      if (!body) return;
      const answer = await client.call('POST', lookupPath('shop'), body);
      expect([200, 400, 422], answer.text).toContain(answer.status);
    };
    await fc.assert(fc.asyncProperty(data, run), { numRuns: process.env.LONG_TESTS ? 1_000 : 50 });
  });
});

describe('what a lookup compares', () => {
  let client: TestClient;
  beforeAll(async () => {
    client = await ledger();
  });
  const custom = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));

  it(`is ${filterLimits.count} values at most`, async () => {
    await stored(client, 'anchor', anchorOf('shop', 'many', { custom: custom(filterLimits.count + 1) }));
    expect(handlesIn(await lookUp(client, 'shop', { custom: custom(filterLimits.count) }))).toEqual(['many']);
    const answer = await lookUp(client, 'shop', { custom: custom(filterLimits.count + 1) });
    expectRefusal(answer, client, 'record.invalid', `A lookup compares at most ${filterLimits.count} values`);
  });

  it(`is ${filterLimits.characters} characters of a value and of a path at most`, async () => {
    const text = (length: number) => 'x'.repeat(length);
    const name = (length: number) => text(length - 'data.custom.'.length);
    const both = { [name(filterLimits.characters)]: text(filterLimits.characters) };
    await stored(client, 'anchor', anchorOf('shop', 'long', { custom: both }));
    expect(handlesIn(await lookUp(client, 'shop', { custom: both }))).toEqual(['long']);
    for (const one of [{ [name(filterLimits.characters + 1)]: 'x' }, { x: text(filterLimits.characters + 1) }]) {
      const answer = await lookUp(client, 'shop', { custom: one });
      expectRefusal(
        answer,
        client,
        'record.invalid',
        `A lookup compares at most ${filterLimits.characters} characters`,
      );
    }
  });

  it(`is ${filterLimits.depth} levels deep at most`, async () => {
    const deep = (levels: number): JsonObject => ({ x: levels > 1 ? deep(levels - 1) : 1 });
    const most = filterLimits.depth - 'data.custom'.split('.').length;
    await stored(client, 'anchor', anchorOf('shop', 'deep', { custom: deep(most) }));
    expect(handlesIn(await lookUp(client, 'shop', { custom: deep(most) }))).toEqual(['deep']);
    const detail = `A lookup compares members at most ${filterLimits.depth} levels deep`;
    expectRefusal(await lookUp(client, 'shop', { custom: deep(most + 1) }), client, 'record.invalid', detail);
  });
});

describe('schemas of the kind anchor-lookup', () => {
  const schema = { required: ['target'], properties: { target: { enum: ['account:1', 'account:2'] } } };
  const data = (more: JsonObject = {}): JsonObject => {
    return { handle: 'strict', record: 'anchor-lookup', format: 'json-schema', schema, ...more };
  };

  it('are about the data of lookups: named, it must be there and match; where there is one, it must be named', async () => {
    const client = await ledger();
    await stored(client, 'anchor', anchorOf('shop', 'a'));
    const missing = 'Schema strict not found for record of type anchor-lookup.';
    const named = { schema: 'strict', target: 'account:1' };
    expectRefusal(await lookUp(client, 'shop', named), client, 'record.relation-not-found', missing);
    await stored(client, 'schema', data({ record: 'symbol' }));
    expectRefusal(await lookUp(client, 'shop', named), client, 'record.relation-not-found', missing);
    expect(handlesIn(await lookUp(client, 'shop'))).toEqual(['a']);
    await stored(client, 'schema', data({ handle: 'lookups' }));
    const own = { ...named, schema: 'lookups' };
    expect(handlesIn(await lookUp(client, 'shop', own))).toEqual(['a']);
    const answer = await lookUp(client, 'shop', { ...own, target: 'account:3' });
    const detail = 'Schema validator error: data.target must be equal to one of the allowed values';
    expectRefusal(answer, client, 'record.schema-invalid', detail);
    const [error] = answer.body.data.custom.errors;
    expect(error).toMatchObject({ instancePath: '/target', keyword: 'enum' });
    const unnamed = 'There are schemas defined for record of type anchor-lookup, you must specify at least one.';
    expectRefusal(await lookUp(client, 'shop'), client, 'record.schema-invalid', unnamed);
    // They have no effect on anchors, nor on lists of them.
    await stored(client, 'anchor', anchorOf('shop', 'b', { target: 'account:3' }));
    expect(handlesIn(await client.get('/wallets/shop/anchors'))).toEqual(['b', 'a']);
  });

  it('in a domain are for wallets there', async () => {
    const { founder } = await divided(server.current.url);
    await stored(founder, 'wallet', { handle: 'w@sales' });
    await stored(founder, 'wallet', { handle: 'w' });
    ok(await createIn(founder, '/schemas', 'sales', data()));
    expect((await lookUp(founder, 'w@sales')).status).toBe(422);
    ok(await lookUp(founder, 'w@sales', { schema: 'strict', target: 'account:1' }));
    ok(await lookUp(founder, 'w'));
    expect((await lookUp(founder, 'w', { schema: 'strict', target: 'account:1' })).status).toBe(422);
  });
});

describe('the access action lookup', () => {
  const LOOKUP = { action: 'lookup', record: 'anchor' };

  it('is what a lookup asks for, on anchors', async () => {
    const [clerk, other, reader] = [newKey(), newKey(), newKey()];
    const rules: JsonObject[] = [
      GATE,
      { ...LOOKUP, signer: { public: clerk.public } },
      { action: 'any', record: 'wallet', signer: { public: other.public } },
      { action: { $in: ['read', 'query'] }, record: 'any', signer: { public: reader.public } },
    ];
    const client = await founded(server.current.url, rules);
    await stored(client, 'wallet', { handle: 'shop' });
    await stored(client, 'anchor', anchorOf('shop', 'a'));
    expect(handlesIn(await lookUp(client, 'shop'))).toEqual(['a']);
    expect(handlesIn(await lookUp(client.as(clerk), 'shop'))).toEqual(['a']);
    for (const key of [other, reader, newKey()]) {
      for (const address of ['shop', 'ghost']) {
        const answer = await lookUp(client.as(key), address);
        expectRefusal(answer, client, 'auth.forbidden', 'Cannot lookup anchor.');
      }
    }
  });

  it('needs the gate', async () => {
    const clerk = newKey();
    const client = await founded(server.current.url, [{ ...LOOKUP, signer: { public: clerk.public } }]);
    expectRefusal(await lookUp(client.as(clerk), 'shop'), client, 'auth.forbidden', 'Cannot lookup anchor.');
  });

  it('is judged by the signer that a token stands for, where the signing is left to it', async () => {
    const client = await founded(server.current.url, [GATE, { ...LOOKUP, signer: { handle: 'clerk' } }]);
    const clerk = await registered(client, 'clerk');
    await stored(client, 'wallet', { handle: 'shop' });
    const body = { data: { wallet: 'shop' }, meta: { proofs: [{ custom: {} }] } };
    ok(await client.call('POST', lookupPath('shop'), body, bearer(clerk)));
    const stranger = await client.call('POST', lookupPath('shop'), body, bearer(newKey()));
    expectRefusal(stranger, client, 'auth.forbidden', 'Cannot lookup anchor.');
    const open = await newLedger(server.current.url);
    // A token that stands for nobody signs nothing.
    const nobody = await open.call('POST', lookupPath('shop'), body, bearer(newKey()));
    expectRefusal(nobody, open, 'auth.forbidden', 'Cannot lookup anchor.');
  });

  it('in a domain shows the anchors of that domain', async () => {
    const { founder, admin } = await divided(server.current.url);
    await stored(founder, 'wallet', { handle: 'shop' });
    for (const handle of ['a', 'b@sales', 'c@bank', 'd@eu@sales']) {
      await stored(founder, 'anchor', anchorOf('shop', handle));
    }
    expect(handlesIn(await lookUp(admin, 'shop'))).toEqual(['b@sales']);
    expect(handlesIn(await lookUp(founder, 'shop'))).toEqual(['d@eu@sales', 'c@bank', 'b@sales', 'a']);
  });

  it('under policies shows what a value lets the caller look up', async () => {
    const clerk = newKey();
    const gate = { action: 'access', record: 'ledger', signer: { public: clerk.public } };
    const value = { ...LOOKUP, signer: { public: clerk.public }, filter: { handle: 'a' } };
    const values = [gate, value];
    const client = await underPolicies(server.current.url, [{ handle: 'clerks', values }]);
    await stored(client, 'wallet', { handle: 'shop' });
    for (const handle of ['a', 'b']) await stored(client, 'anchor', anchorOf('shop', handle));
    expect(handlesIn(await lookUp(client.as(clerk), 'shop'))).toEqual(['a']);
    expectRefusal(await lookUp(client.as(newKey()), 'shop'), client, 'auth.forbidden', 'Cannot lookup anchor.');
  });

  it('is told of by an access check', async () => {
    const client = await founded(server.current.url, [GATE, { ...LOOKUP, signer: {} }]);
    await stored(client, 'wallet', { handle: 'shop' });
    const record = await stored(client, 'anchor', anchorOf('shop', 'a'));
    const check = signed({ action: 'lookup' }, newKey(), {});
    const { data } = ok(await client.call('POST', `/anchors/${record.luid}/access/!check`, check)).body;
    expect(data.map((one: { data: JsonObject }) => one.data)).toEqual([LOOKUP]);
  });

  it('counts for a proof that is added as for any other', async () => {
    const clerk = newKey();
    const client = await founded(server.current.url, [GATE, { ...LOOKUP, signer: { public: clerk.public } }]);
    const body = signed({ wallet: 'shop' }, newKey(), {});
    body.meta.proofs.push(proofOver(body.hash, clerk));
    ok(await client.call('POST', lookupPath('shop'), body));
  });
});
