import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import { RULE_ACTIONS } from '../../src/access/rules.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestClient } from '../support/client.js';
import { effortOf } from '../support/effort.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { outcome } from './support.js';

const server = withServer();
let client: TestClient;
let made = 0;

beforeAll(async () => {
  client = await newLedger(server.current.url);
});

const create = (data: JsonObject) => {
  made += 1;
  return client.create('/policies', { handle: `p-${made}`, ...data });
};
const PATTERN = '^(?!layout|access|status|labels|schedule|processing|authentication|dtc).*$';
const only = (schema: string) => `request/body/data/schema must be equal to one of the allowed values: ${schema}`;

/** The detail of interface/policies#fields, with the errors of the branch that is meant in the place of its own line. */
function detailWith(schema: string, own: string[]): string {
  const lines = ['layout', 'status', 'labels', 'access', 'schedule', 'processing', 'authentication', 'dtc'].flatMap(
    (name) => {
      if (name === schema) return own.map((one) => `request/body/data${one}`);
      return name === 'schedule' ? ["request/body/data must have required property 'action'"] : [only(name)];
    },
  );
  const last = [
    `request/body/data/schema must match pattern "${PATTERN}"`,
    'request/body/data must match a schema in anyOf',
  ];
  return `Schema validation error: ${[...lines, ...last].join(', ')}`;
}

describe('the errors of a policy (interface/policies#fields)', () => {
  it('an action that is an array, or none', async () => {
    const allowed = RULE_ACTIONS.join(', ');
    const answer = await create({ schema: 'access', values: [{ action: ['read'] }] });
    expectRefusal(
      answer,
      client,
      'record.schema-invalid',
      detailWith('access', [
        '/values/0/action must be string',
        `/values/0/action must be equal to one of the allowed values: ${allowed}`,
        '/values/0/action must be object',
        '/values/0/action must be object',
        '/values/0/action must match exactly one schema in oneOf',
        '/values/0/action must match exactly one schema in oneOf',
      ]),
    );
    expect(answer.body.data.custom.errors[3]).toMatchObject({ path: '/body/data/values/0/action' });
  });

  it('a status value without quorum', async () => {
    const answer = await create({ schema: 'status', values: [{ status: 'active' }] });
    const own = ["/values/0 must have required property 'quorum'"];
    expectRefusal(answer, client, 'record.schema-invalid', detailWith('status', own));
  });

  it.each(['sign', 'sign-intent', 'x', ''])('no rule has the action %j', async (action) => {
    const answer = await create({ schema: 'access', values: [{ action }] });
    expect(outcome(answer)).toContain(`must be equal to one of the allowed values: ${RULE_ACTIONS.join(', ')}`);
    const rule = await client.create('/wallets', { handle: 'w', access: [{ action }] });
    expect(rule.body.data.reason).toBe('record.schema-invalid');
  });

  it.each<[title: string, rule: JsonObject]>([
    ['an unknown record', { action: 'read', record: 'purse' }],
    ['a record that is an array', { action: 'read', record: ['wallet'] }],
    ['a matcher nobody knows', { action: 'read', signer: { $team: 'x' } }],
    ['a misspelt trait', { action: 'read', signer: { handel: 'alice' } }],
    ['an owner nobody knows', { action: 'read', signer: { $record: 'reader' } }],
    ['an operator nobody knows', { action: 'read', signer: { handle: { $like: 'a' } } }],
    ['no operator at all', { action: 'read', signer: { handle: {} } }],
    ['a stray member', { action: 'read', signers: {} }],
    ['a bearer with a $ claim', { action: 'read', bearer: { $hsh: true } }],
    ['a reference with more', { policy: 'p', action: 'read' }],
    ['nothing', {}],
    ['a filter outside policies', { action: 'read', filter: { handle: 'x' } }],
  ])('a rule with %s is refused, wherever rules stand', async (_, rule) => {
    for (const [path, data] of [
      ['/wallets', { handle: 'w' }],
      ['/domains', { handle: 'd' }],
      ['/circles', { handle: 'c' }],
    ] as const) {
      const answer = await client.create(path, { ...data, access: [rule] });
      expect([answer.status, answer.body.data.reason], path).toEqual([422, 'record.schema-invalid']);
    }
  });
});

describe('filters of access values (interface/policies#access-policies)', () => {
  const keys = (third: string[], last: string[] = []) =>
    JSON.stringify([
      '^handle$',
      '^schema$',
      ...third,
      '^custom..+$',
      '^meta.domain$',
      '^meta.labels$',
      '^meta.status$',
      ...last,
    ]);

  it.each([
    ['wallet', 'data.handle', keys(['^bridge$'])],
    ['wallet', 'factor', keys(['^bridge$'])],
    ['symbol', 'bridge', keys(['^factor$'])],
    ['intent', 'meta.owners', keys([], ['^meta.thread$'])],
    ['circle', 'custom', keys([])],
  ])('of %s: not by %s', async (record, key, allowed) => {
    const answer = await create({ schema: 'access', record, values: [{ action: 'read', filter: { [key]: 'x' } }] });
    const detail = `Cannot define access filter key "${key}" for record "${record}". Allowed keys: ${allowed}`;
    expect(outcome(answer)).toBe(`422 ${detail}`);
    expect(answer.body.data).not.toHaveProperty('custom');
  });

  it.each([
    ['wallet', ['handle', 'schema', 'bridge', 'custom.a', 'custom.a.b', 'meta.domain', 'meta.labels', 'meta.status']],
    ['symbol', ['factor']],
    ['intent', ['meta.thread']],
  ])('of %s: by %j', async (record, filters) => {
    const filter = Object.fromEntries(filters.map((key) => [key, { $in: ['x'] }]));
    expect(outcome(await create({ schema: 'access', record, values: [{ action: 'read', filter }] }))).toBe('201');
  });
});

describe('processing policies (interface/policies#processing-policies)', () => {
  const processing = (action: string, strategy?: string): JsonObject => ({
    schema: 'processing',
    record: 'anchor',
    values: [
      {
        schema: 'aspect',
        action,
        invoke: { bridge: 'b' },
        ...(strategy === undefined ? {} : { config: { strategy } }),
      },
    ],
  });

  it.each(['read', 'query'])('%s: no validate', async (action) => {
    const answer = await create(processing(action, 'validate'));
    const detail = "Cannot define 'validate' strategy for read or query actions";
    expect(outcome(answer)).toBe(`422 ${detail}`);
    expect(answer.body.data).toEqual({ reason: 'record.schema-invalid', detail });
    for (const strategy of ['proxy', 'fallback', 'synchronize', undefined]) {
      expect(outcome(await create(processing(action, strategy)))).toBe('201');
    }
  });

  it.each(['create', 'update', 'drop', 'sign'])('%s: no fallback', async (action) => {
    const answer = await create(processing(action, 'fallback'));
    expect(outcome(answer)).toBe("422 Cannot define 'fallback' strategy for non-read or query actions");
    for (const strategy of ['proxy', 'validate', 'synchronize', undefined]) {
      expect(outcome(await create(processing(action, strategy)))).toBe('201');
    }
  });

  it('is about anchors', async () => {
    expect((await create({ ...processing('read'), record: 'wallet' })).status).toBe(422);
  });
});

describe('policies that are only stored (interface/policies#stored-policies)', () => {
  it.each<[schema: string, data: JsonObject]>([
    ['labels', { values: [] }],
    ['layout', { values: [{ record: 'wallet', values: [{ data: { handle: 'w' } }] }] }],
    ['dtc', { values: [] }],
    ['schedule', { record: 'report', action: 'create', inputs: { schema: 'daily' }, config: { timezone: 'UTC' } }],
    ['retention', { values: [{ days: 3 }] }],
  ])('%s is stored as it came, and decides nothing', async (schema, data) => {
    if (schema === 'retention') {
      await stored(client, 'schema', { handle: schema, record: 'policy', format: 'json-schema', schema: {} });
    }
    const answer = ok(await create({ schema, ...data }));
    expect(answer.body.data).toMatchObject(data);
    expect(answer.body.meta.proofs.map(({ custom }: { custom: JsonObject }) => custom.status)).toEqual([
      'created',
      'created',
    ]);
    const wallet = await stored(client, 'wallet', { handle: `w-${schema}` });
    ok(await client.prove(`/wallets/w-${schema}`, wallet, { status: 'anything', labels: ['any'] }));
  });

  it('has a schema that the ledger has, or that is among its records', async () => {
    await stored(client, 'schema', { handle: 'for-wallets@x', record: 'anchor', format: 'json-schema', schema: {} });
    for (const schema of ['unheard-of', 'for-wallets@x']) {
      const answer = await create({ schema, values: [] });
      const detail = `Schema ${schema} not found for record of type policy.`;
      expectRefusal(answer, client, 'record.relation-not-found', detail);
    }
  });

  it.each<[what: string, value: unknown]>([
    ['without a record', { values: [] }],
    ['without values', { record: 'wallet' }],
    ['of a record that is none', { record: 'wallets', values: [] }],
    ['with a member that no layout has', { record: 'wallet', values: [], any: 1 }],
    ['with a template without data', { record: 'wallet', values: [{ custom: {} }] }],
    ['with a template of something else', { record: 'wallet', values: [{ data: {}, luid: 'x' }] }],
    ['that is a text', 'wallet'],
  ])('layout policies are validated: no value %s', async (_, value) => {
    const answer = await create({ schema: 'layout', values: [value as JsonObject] });
    expect([answer.status, answer.body.data.reason]).toEqual([422, 'record.schema-invalid']);
    const whole = { record: 'wallet', values: [{ data: { handle: 'w', custom: {} }, custom: {} }], custom: {} };
    ok(await create({ schema: 'layout', custom: { title: 'Wallets' }, values: [whole] }));
  });

  it('the content of a schedule is checked', async () => {
    const wrong = { record: 'report', action: 'create', inputs: { schema: 'daily', stray: 1 } };
    expect((await create({ schema: 'schedule', ...wrong })).status).toBe(422);
    expect((await create({ schema: 'schedule', ...wrong, inputs: {} })).status).toBe(422);
  });

  it('the policies of the ledger itself may be dropped', async () => {
    const open = await newLedger(server.current.url);
    const policy = (await open.get('/policies/access-policy:status')).body;
    expect(outcome(await open.drop('/policies/access-policy:status', policy))).toBe('204');
    const mine = await stored(open, 'policy', { handle: 'p', schema: 'access', values: [] });
    expect(outcome(await open.prove('/policies/p', mine, { status: 'blocked' }))).toBe('200');
  });
});

describe('how many rules there may be', () => {
  const rules = (count: number): JsonObject[] => Array.from({ length: count }, () => ({ action: 'read' }));

  it.each<[where: string, path: string, data: (many: JsonObject[]) => JsonObject]>([
    ['on a wallet', '/wallets', (access) => ({ handle: `w-${access.length}`, access })],
    ['in a policy', '/policies', (values) => ({ handle: `p-${values.length}`, schema: 'access', values })],
  ])('%s', async (_, path, data) => {
    expect(outcome(await client.create(path, data(rules(accessLimits.rules))))).toBe('201');
    for (const count of [accessLimits.rules + 1, 10_000]) {
      const answer = await client.create(path, data(rules(count)));
      expect([answer.status, answer.body.data.reason]).toEqual([422, 'record.schema-invalid']);
      expect(answer.body.data.detail).toContain(`must NOT have more than ${accessLimits.rules} items`);
    }
  });

  it('on a ledger, and in its update', async () => {
    const open = await newLedger(server.current.url, { access: [{ action: 'any', record: 'any' }] });
    const ledger = (await open.get('/ledger')).body;
    const { parent: _, config: __, ...data } = ledger.data;
    const access = rules(10_000);
    const answer = await open.update('/ledger', ledger, { ...data, access });
    expect(outcome(answer)).toContain(`must NOT have more than ${accessLimits.rules} items`);
  });

  it('a great many references and a long chain are walked once', async () => {
    const open = await newLedger(server.current.url);
    for (let at = 0; at < 30; at += 1) {
      const extend = [`c-${at + 1}`, `c-${(at * 7) % 30}`, `c-${at}`];
      await stored(open, 'policy', {
        handle: `c-${at}`,
        schema: 'access',
        record: 'wallet',
        values: rules(100),
        extend,
      });
    }
    const access = Array.from({ length: accessLimits.rules }, (_, at) => ({ policy: `c-${at % 30}` }));
    await stored(open, 'wallet', { handle: 'w', access });
    // Walked again wherever it is named, the chain would be followed more often than can be counted.
    const read = async () => expect(outcome(await open.get('/wallets/w'))).toBe('200');
    expect(await effortOf(read)).toBeLessThan(5_000);
  });
});
