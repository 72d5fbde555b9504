import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { collectHashedForms, isHashed } from '../../src/kinds/hashed-forms.js';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

describe('a subdomain, the one record the ledger adds to (interface/hashes#the-one-exception-a-subdomain)', () => {
  async function subdomain(): Promise<{ client: TestClient; record: RecordEnvelope }> {
    const client = await newLedger(server.current.url);
    await stored(client, 'domain', { handle: 'payments' });
    await stored(client, 'domain', { handle: 'retail' });
    return { client, record: await stored(client, 'domain', { handle: 'eu@payments' }) };
  }

  const PATH = '/domains/eu@payments';

  /** The rule as the interface tells it to verifiers: of the data, or of the data without `domain`. */
  function expectByTheRule({ hash, data, meta }: RecordEnvelope, which: 'as served' | 'without'): void {
    const { domain, ...without } = data;
    expect(domain).toBe('payments');
    expect(meta.domain).toBe('payments');
    expect(hash).toBe(hashOf(which === 'as served' ? data : without, native));
    expect(isHashed(kindNamed('domain'), { hash, data, meta }, native)).toBe(true);
  }

  it('may come back as it was read, and is then hashed with its parent', async () => {
    const { client, record } = await subdomain();
    expectByTheRule(record, 'without');
    const back = ok(await client.update(PATH, record, { ...record.data, custom: { a: 1 } })).body;
    expectByTheRule(back, 'as served');
    expect(Object.keys(back.data)).toEqual(['parent', 'handle', 'domain', 'custom']);
    expect((await client.get(PATH)).body).toEqual(back);
    const left = ok(await client.update(PATH, back, { handle: 'eu@payments' })).body;
    expectByTheRule(left, 'without');
    const again = ok(await client.update(PATH, left, left.data)).body;
    expectByTheRule(again, 'as served');
    const history = (await client.get(`${PATH}/changes`)).body.data.toReversed();
    for (const [index, which] of (['without', 'as served', 'without', 'as served'] as const).entries()) {
      expectByTheRule(history[index], which);
    }
  });

  it('is not moved by an update that names another parent, or one where there is none', async () => {
    const { client, record } = await subdomain();
    const invalid = 'Schema validation error: request/body/data must NOT have unevaluated properties';
    const moved = await client.update(PATH, record, { ...record.data, domain: 'retail' });
    expectRefusal(moved, client, 'record.schema-invalid', invalid);
    const root = (await client.get('/domains/retail')).body;
    const put = await client.update('/domains/retail', root, { ...root.data, domain: 'payments' });
    expectRefusal(put, client, 'record.schema-invalid', invalid);
    const created = await client.create('/domains', { handle: 'us@payments', domain: 'payments' });
    expectRefusal(created, client, 'record.schema-invalid', invalid);
    expect((await client.get(PATH)).body).toEqual(record);
  });
});

describe('what may have been hashed, given what is served', () => {
  const forms = (name: KindName, data: JsonObject, domain?: string) => {
    return collectHashedForms(kindNamed(name), {
      data,
      meta: { proofs: [], moment: '', owners: [], ...(domain ? { domain } : {}) },
    });
  };

  it.each(kinds.filter(({ name }) => name !== 'domain'))('of a $name is the data', ({ name }) => {
    const data = { handle: 'a', domain: 'payments', custom: { b: null } };
    expect(forms(name, data, 'payments')).toEqual([data]);
  });

  it('of a domain is the data, and that without its parent where `meta` names the same', () => {
    expect(forms('domain', { handle: 'a' })).toEqual([{ handle: 'a' }]);
    const data = { handle: 'a', domain: 'payments' };
    expect(forms('domain', data, 'payments')).toEqual([data, { handle: 'a' }]);
    expect(forms('domain', data, 'retail')).toEqual([]);
    expect(forms('domain', data)).toEqual([]);
    expect(forms('domain', { handle: 'a' }, 'payments')).toEqual([]);
  });

  it('of what earlier builds stored is the data without the null they added', () => {
    expect(forms('ledger', { handle: 'a', config: null })).toEqual([{ handle: 'a', config: null }, { handle: 'a' }]);
    const factor = { handle: 'a', schema: 'key-pair' };
    expect(forms('signer-factor', { ...factor, secret: null })).toEqual([{ ...factor, secret: null }, factor]);
  });
});
