import { type JsonObject, REASONS } from '@countersign/protocol';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { operationId } from '../../src/http/openapi/names.js';
import { type Route, recordRoutes } from '../../src/http/routes.js';
import type { Kind } from '../../src/kinds/kind.js';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { bodyChecksOf } from '../../src/operations/bodies.js';
import { examples } from '../kinds/examples.js';
import { dropOf, newKey, newLedger, proofOver, signed } from '../support/client.js';
import { startServer, withOwnServer } from '../support/server.js';
import { Description } from './description.js';

const HASH = 'a'.repeat(64);
const key = newKey();

/** Routes that refuse all requests, and pages for people. */
const IS_NO_INTERFACE = /^(DELETE \/v2\/ledger|GET (\/docs(\*|\/.*)?|\/?))$/;

describe('GET /v2/openapi.json', () => {
  const server = withOwnServer();
  let described: Description;
  beforeAll(async () => {
    described = await Description.of(server.current.url);
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(described.document) as object as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('says which interface it describes, and where it is served', () => {
    const { info, servers, security } = described.document;
    expect(info).toMatchObject({ title: 'Countersign', version: '2.36.0' });
    expect(info.description).toContain('build 0.0.0');
    expect(servers).toEqual([{ url: server.current.url }]);
    expect(security).toEqual([{}, { bearer: [] }]);
  });

  it('holds every route that is served, and no others', () => {
    const probes = (path: string) => (/^\/(health\b|log\/)/.test(path) ? path : `/v2${path === '/' ? '' : path}`);
    const all = described
      .operations()
      .map(({ method, path }) => `${method.toUpperCase()} ${probes(path).replace(/\{\w+\}/g, ':')}`);
    // What a log has is one route: no parameter of a path holds a slash.
    const documented = [...new Set(all.map((route) => route.replace(/^GET \/log\/.*/, 'GET /log/*')))];
    const { app } = server.current.server;
    const served = servedRoutes(app.printRoutes({ commonPrefix: false }));
    // It is served, and not printed.
    if (app.hasRoute({ method: 'GET', url: '/log/*' })) served.push('GET /log/*');
    expect(documented.sort()).toEqual(served.filter((route) => !IS_NO_INTERFACE.test(route)).sort());
    expect(documented.length).toBeGreaterThan(100);
  });

  it('gives each operation an id of its own, a summary and a known tag', () => {
    const operations = described.operations().map(({ operation }) => operation);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
    expect(ids).toEqual(
      expect.arrayContaining([
        'createWallet',
        'listWallets',
        'readWallet',
        'updateWallet',
        'dropWallet',
        'dropWalletByPost',
        'addWalletProof',
        'listWalletChanges',
        'readWalletChange',
        'checkWalletAccess',
        'listPolicies',
        'createSignerFactor',
        'listSignerFactors',
        'listCircleSigners',
        'addIntentProofBySign',
        'createLedger',
        'listLedgers',
        'readLedger',
        'readLedgerByHandle',
        'updateLedgerByHandle',
      ]),
    );
    const tags = described.document.tags.map(({ name }) => name);
    expect(tags).toEqual([...kinds.map(({ title }) => title), 'Log', 'Server', 'Events', 'Bridge calls']);
    for (const operation of operations) expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
  });

  it('names each parameter of a path, the ledger, the page and the filters', () => {
    const isFiltered = ({ operation }: Route) => operation.description.parameters?.includes('filters');
    const filtered = new Set(recordRoutes().filter(isFiltered).map(operationId));
    for (const { name, path, operation } of described.operations()) {
      const parameters = (operation.parameters ?? []).map(({ $ref, name, in: place }) => $ref ?? `${place} ${name}`);
      const inPath = parameters.filter((one) => one.startsWith('path ')).map((one) => one.slice('path '.length));
      expect(inPath, name).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
      const ofLedger =
        !['Log', 'Server'].includes(operation.tags[0]!) && path !== '/ledgers' && path !== '/ledgers/{ledger}';
      expect(parameters.includes('#/components/parameters/ledger'), name).toBe(ofLedger);
      const isList = operation.operationId.startsWith('list');
      expect(parameters.includes('#/components/parameters/index'), name).toBe(isList);
      expect(parameters.includes('#/components/parameters/limit'), name).toBe(isList);
      const hasFilters = isList || filtered.has(operation.operationId);
      expect(parameters.includes('query filters'), name).toBe(hasFilters);
    }
  });

  it.each(kinds)('takes the examples of $name, and an update with them', (kind) => {
    const { minimal, full, secret } = examples[kind.name];
    for (const data of [minimal('x-1'), full('x-1')]) {
      const body = { ...signed(data, key), meta: { ...signed(data, key).meta, ...(secret ? { secret } : {}) } };
      expect(described.requestErrors('post', collectionOf(kind), body)).toBeUndefined();
      if (!kind.lifecycle.operations.includes('update')) continue;
      const update = signed({ ...data, parent: HASH }, key, {}, { luid: `$${kind.prefix}.-0123456789abcdef` });
      expect(described.requestErrors('put', recordOf(kind), update)).toBeUndefined();
    }
  });

  it.each(kinds)('refuses for $name what the server refuses, and only that', (kind) => {
    const agree = (method: 'post' | 'put', path: string, check: (body: never) => unknown, body: unknown) => {
      const refused = described.requestErrors(method, path, body) !== undefined;
      expect(refused, JSON.stringify(body)).toBe(throws(() => check(body as never)));
      return refused;
    };
    const checks = bodyChecksOf(kind);
    const full = examples[kind.name].full('x-1');
    const create = (data: unknown) => agree('post', collectionOf(kind), checks.create, { ...signed(full, key), data });
    expect(create(full)).toBe(false);
    expect(create({ ...full, parent: HASH })).toBe(true);
    expect(create({ ...full, unknown: 1 })).toBe(true);
    for (const member of Object.keys(full)) {
      create(Object.fromEntries(Object.entries(full).filter(([name]) => name !== member)));
      for (const wrong of [null, 1, '', 'with space', [], [{}], { $in: [] }]) create({ ...full, [member]: wrong });
    }
    for (const body of [null, [], {}, { ...signed(full, key), more: 1 }, { ...signed(full, key), hash: 'x' }]) {
      expect(agree('post', collectionOf(kind), checks.create, body)).toBe(true);
    }
    if (!kind.lifecycle.operations.includes('update')) return;
    const update = (data: object) => agree('put', recordOf(kind), checks.update, { ...signed(full, key), data });
    expect(update({ ...full, parent: HASH })).toBe(false);
    expect(update(full)).toBe(true);
    expect(update({ ...full, parent: 'x' })).toBe(true);
    expect(update({ ...full, parent: HASH, unknown: 1 })).toBe(true);
  });

  it.each(kinds.filter(({ lifecycle: { operations } }) => operations.includes('proof')))(
    'takes proofs of $name',
    (kind) => {
      const path = `${recordOf(kind)}/proofs`;
      const errors = (body: unknown) => described.requestErrors('post', path, body);
      expect(errors(proofOver(HASH, key, { status: kind.lifecycle.statuses?.[0] ?? 'active' }))).toBeUndefined();
      expect(errors({ custom: { note: 'left to the token' } })).toBeUndefined();
      const { public: _, ...unsigned } = proofOver(HASH, key);
      expect(errors(unsigned)).toBeDefined();
      expect(errors({ ...proofOver(HASH, key), custom: 1 })).toBeDefined();
      if (kind.lifecycle.statuses) expect(errors(proofOver(HASH, key, { status: 'other' }))).toBeDefined();
    },
  );

  it('takes drops and access checks', () => {
    const record = {
      hash: HASH,
      luid: '$wlt.-0123456789abcdef',
      data: {},
      meta: { proofs: [], moment: '', owners: [] },
    };
    expect(described.requestErrors('delete', '/wallets/{id}', dropOf(record, key, 'why'))).toBeUndefined();
    expect(described.requestErrors('post', '/wallets/{id}/drop', dropOf(record, key))).toBeUndefined();
    expect(
      described.requestErrors('delete', '/wallets/{id}', { ...dropOf(record, key), luid: undefined }),
    ).toBeDefined();
    const check = '/wallets/{id}/access/!check';
    expect(described.requestErrors('post', check, signed({ action: 'read', record: 'wallet' }, key))).toBeUndefined();
    expect(described.requestErrors('post', check, signed({ record: 'wallet' }, key))).toBeDefined();
  });

  it('lists the reasons of each operation under their statuses, and every reason somewhere', () => {
    const { schemas = {}, responses = {} } = described.document.components;
    expect((schemas.reason as { enum: string[] }).enum).toEqual(Object.keys(REASONS));
    for (const { name, operation } of described.operations()) {
      if (operation.tags[0] === 'Server') continue;
      expect(Object.keys(operation.responses), name).toEqual(
        expect.arrayContaining(['400', '401', '404', '408', '500', '503']),
      );
      for (const [status, response] of Object.entries(operation.responses)) {
        const component = (response as { $ref?: string }).$ref?.split('/').at(-1);
        if (Number(status) < 400) continue;
        const reasons = reasonsOf(responses[component ?? '']);
        expect(reasons.length, `${name} ${status}`).toBeGreaterThan(0);
        const others: Record<string, string> = {
          'api.body-malformed': '413',
          'api.unexpected-error': '503',
          'bridge.proxy-response-invalid': '502',
        };
        for (const reason of reasons) {
          const own = String(REASONS[reason as keyof typeof REASONS].status);
          expect([own, others[reason]], `${name} ${status} ${reason}`).toContain(status);
        }
      }
    }
  });

  it('says of operations that policies forward what a bridge may add', () => {
    const isForwarded = (response: object | undefined) => JSON.stringify(response)?.includes('/forward-') === true;
    const forwarded = described.operations().filter(({ operation }) => isForwarded(operation.responses[502]));
    expect(forwarded.map(({ name }) => name).sort()).toEqual([
      'DELETE /anchors/{id}',
      'GET /anchors',
      'GET /anchors/{id}',
      'POST /anchors',
      'POST /anchors/{id}/drop',
      'POST /anchors/{id}/proofs',
      'PUT /anchors/{id}',
    ]);
  });

  it('describes what is answered over the life of a record of each kind', async () => {
    const client = await newLedger(server.current.url);
    for (const kind of kinds.filter(({ name }) => name !== 'ledger')) {
      const { needs, minimal, full, secret } = examples[kind.name];
      for (const [name, make] of [
        ['minimal', minimal],
        ['full', full],
      ] as const) {
        const handle = `${kind.name}-${name}`;
        for (const need of needs?.(handle) ?? [])
          await client.create(collectionPath(kindNamed(need.kind), {}), own(need.data));
        const data = own(make(handle));
        const path = collectionPath(kind, data);
        const body = signed(data, client.key);
        const created = await client.call('POST', path, {
          ...body,
          meta: { ...body.meta, ...(secret ? { secret } : {}) },
        });
        expect(created.status, created.text).toBeLessThan(300);
        expectDescribed(described, 'POST', path, created);
        expectDescribed(described, 'GET', path, await client.get(path));
        const record = `${path}/${created.body.luid}`;
        expectDescribed(described, 'GET', record, await client.get(record));
        if (kind.lifecycle.operations.includes('proof')) {
          expectDescribed(described, 'POST', `${record}/proofs`, await client.prove(record, created.body, { note: 1 }));
        }
        if (kind.lifecycle.operations.includes('changes')) {
          expectDescribed(described, 'GET', `${record}/changes`, await client.get(`${record}/changes`));
          expectDescribed(described, 'GET', `${record}/changes/1`, await client.get(`${record}/changes/1`));
        }
        if (kind.lifecycle.operations.includes('check')) {
          const check = signed({ action: 'read' }, client.key, {});
          expectDescribed(
            described,
            'POST',
            `${record}/access/!check`,
            await client.call('POST', `${record}/access/!check`, check),
          );
        }
        if (kind.lifecycle.operations.includes('drop')) {
          expectDescribed(described, 'DELETE', record, await client.drop(record, created.body));
        }
      }
    }
    for (const path of ['/ledger', '/ledger/changes', '/signers', '/policies', '/schemas', '/', '/openapi.json']) {
      expectDescribed(described, 'GET', path, await client.get(path));
    }
  });

  it('takes back what the ledger shows of a subdomain, in an update alone', () => {
    const body = (data: JsonObject) => signed(data, key, {}, { luid: '$dom.-0123456789abcdef' });
    const sent = { handle: 'eu@pay', domain: 'pay' };
    expect(described.requestErrors('put', '/domains/{id}', body({ ...sent, parent: HASH }))).toBeUndefined();
    expect(described.requestErrors('post', '/domains', body(sent))).toBeDefined();
  });

  it('says of keys of factors what the server takes', () => {
    const factor = { handle: 'f', signer: 's' };
    const path = '/signers/{signer}/factors';
    const check = bodyChecksOf(kindNamed('signer-factor')).create;
    for (const schema of ['otp', 'own', 'key-pair', 'oauth-client-credentials', undefined]) {
      for (const more of [{}, { public: 'AAAA' }, { format: 'rsa-der' }, { public: 'AAAA', format: 'rsa-der' }]) {
        const body = signed({ ...factor, ...(schema ? { schema } : {}), ...more }, key);
        const refused = described.requestErrors('post', path, body) !== undefined;
        expect(refused, JSON.stringify(body.data)).toBe(throws(() => check(body)));
      }
    }
  });

  it('says that a default ledger spares the header', async () => {
    const document = described.document.components.parameters as Record<string, { required: boolean }>;
    expect(document.ledger?.required).toBe(true);
    const other = await startServer();
    Object.assign(other.server.service, { defaultLedger: 'main', publicUrl: 'https://ledger.example/api/v2' });
    const { document: changed } = await Description.of(other.url);
    await other.stop();
    expect((changed.components.parameters as typeof document).ledger?.required).toBe(false);
    expect(changed.paths['/health/live']?.servers).toEqual([{ url: 'https://ledger.example/api' }]);
  });
});

function expectDescribed(
  described: Description,
  method: string,
  path: string,
  { status, body }: { status: number; body: unknown },
) {
  expect(described.answerErrors(method, path, status, body), `${method} ${path} ${status}`).toBeUndefined();
}

function reasonsOf(response: object | undefined): string[] {
  const { content } = response as {
    content: Record<string, { schema: { properties: { data: { properties: { reason: { enum: string[] } } } } } }>;
  };
  return content['application/json']?.schema.properties.data.properties.reason.enum ?? [];
}

/** `GET /v2/wallets/:` for each line of the printed tree that has methods. */
function servedRoutes(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const match = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line);
    if (!match) return [];
    const [, indent = '', part = '', methods = ''] = match;
    const depth = indent.length / 4;
    above.splice(depth, above.length, part);
    const path = above
      .slice(0, depth + 1)
      .join('')
      .replace(/:[\w|:]+/g, ':')
      .replace(/\/$/, '');
    return methods
      .split(', ')
      .filter((method) => ['GET', 'POST', 'PUT', 'DELETE'].includes(method))
      .map((method) => `${method} ${path}`);
  });
}

function collectionOf(kind: Kind): string {
  return kind.links.under
    ? `/${kindNamed(kind.links.under.kind).path}/{${kind.links.under.member}}/${kind.path}`
    : `/${kind.path}`;
}

function recordOf(kind: Kind): string {
  return kind.name === 'ledger' ? '/ledger' : `${collectionOf(kind)}/{id}`;
}

function collectionPath(kind: Kind, data: object): string {
  const { member } = kind.links.under ?? {};
  return collectionOf(kind).replace(/\{\w+\}/, String((data as Record<string, unknown>)[member ?? '']));
}

/** The data with a key of its own: two signers cannot share one. */
function own<Data extends object>(data: Data): Data & Record<string, never> {
  return (
    'format' in data && !('schema' in data) && 'public' in data ? { ...data, public: newKey().public } : data
  ) as never;
}

function throws(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}
