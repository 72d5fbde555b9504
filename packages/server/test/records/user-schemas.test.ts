import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { kinds } from '../../src/kinds/registry.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, signed, type TestAnswer, type TestClient, updateOf } from '../support/client.js';
import { createBody, make, ok, type Scene, setScene, stored, withSecret } from '../support/scene.js';
import { withServer } from '../support/server.js';

/** Asks for a tier, gold or silver. */
const TIERED: JsonObject = {
  type: 'object',
  required: ['custom'],
  properties: {
    custom: { type: 'object', required: ['tier'], properties: { tier: { enum: ['gold', 'silver'] } } },
  },
};

interface Mismatch {
  readonly detail: string;
  readonly errors: JsonObject[];
}

const NO_CUSTOM: Mismatch = {
  detail: "Schema validator error: data must have required property 'custom'",
  errors: [
    {
      instancePath: '',
      schemaPath: '#/required',
      keyword: 'required',
      params: { missingProperty: 'custom' },
      message: "must have required property 'custom'",
    },
  ],
};

const WRONG_TIER: Mismatch = {
  detail: 'Schema validator error: data.custom.tier must be equal to one of the allowed values',
  errors: [
    {
      instancePath: '/custom/tier',
      schemaPath: '#/properties/custom/properties/tier/enum',
      keyword: 'enum',
      params: { allowedValues: ['gold', 'silver'] },
      message: 'must be equal to one of the allowed values',
    },
  ],
};

/** Kinds whose request already asks for `data.schema`. */
const ALWAYS_NAMED: readonly KindName[] = ['report', 'policy'];
/** Kinds that have schemas from the birth of the ledger (interface/schemas#enforcement). */
const BORN_WITH: readonly KindName[] = ['policy', 'bridge', 'signer-factor'];

const server = withServer();

function define(client: TestClient, record: string, handle: string, schema: JsonObject): Promise<RecordEnvelope> {
  return stored(client, 'schema', { handle, record, format: 'json-schema', schema });
}

/** The scene's data, conforming to `TIERED` unless `more` says otherwise. */
function tiered({ data }: Scene, handle: string, more: JsonObject = {}): JsonObject {
  return { ...data, handle, schema: 'tiered', custom: { tier: 'gold' }, ...more };
}

function without(data: JsonObject, member: string): JsonObject {
  const { [member]: _, ...others } = data;
  return others;
}

function create(scene: Scene, data: JsonObject): Promise<TestAnswer> {
  return scene.client.call('POST', scene.collection, createBody({ ...scene, data }));
}

function update(scene: Scene, record: RecordEnvelope, data: JsonObject): Promise<TestAnswer> {
  const body = withSecret(updateOf(record, data, scene.client.key), scene.secret);
  return scene.client.call('PUT', `${scene.collection}/${record.data.handle}`, body);
}

function expectInvalid(answer: TestAnswer, { client }: Scene, { detail, errors }: Mismatch): void {
  expectRefusal(answer, client, 'record.schema-invalid', detail, { errors });
}

function expectUnnamed(answer: TestAnswer, { client, kind }: Scene): void {
  const detail = `There are schemas defined for record of type ${kind.name}, you must specify at least one.`;
  expectRefusal(answer, client, 'record.schema-invalid', detail);
  expect(Object.keys(answer.body.data)).toEqual(['reason', 'detail']);
}

const taking = kinds.filter(({ data: { schemas } }) => schemas !== 'none');

it('are for the kinds of interface/schemas#fields', () => {
  expect(taking.map(({ name }) => name).sort()).toEqual(
    [
      'anchor',
      'bridge',
      'circle',
      'domain',
      'effect',
      'intent',
      'policy',
      'report',
      'signer',
      'signer-factor',
      'symbol',
      'wallet',
    ].sort(),
  );
});

describe.each(taking)('the schema of a user for a $name', (kind) => {
  const { name } = kind;
  const updates = kind.lifecycle.operations.includes('update');

  it('is asked of every record that names it, on create and on update', async () => {
    const scene = await setScene(server.current.url, name);
    await define(scene.client, name, 'tiered', TIERED);
    const record: RecordEnvelope = ok(await create(scene, tiered(scene, 'a'))).body;
    expect(record.data.schema).toBe('tiered');
    const before = (await scene.client.get(scene.collection)).body.data;
    const [bare, wrong] = [without(tiered(scene, 'b'), 'custom'), tiered(scene, 'b', { custom: { tier: 'tin' } })];
    expectInvalid(await create(scene, bare), scene, NO_CUSTOM);
    expectInvalid(await create(scene, wrong), scene, WRONG_TIER);
    if (updates) {
      expectInvalid(await update(scene, record, without(tiered(scene, 'a'), 'custom')), scene, NO_CUSTOM);
      expectInvalid(await update(scene, record, tiered(scene, 'a', { custom: { tier: 'tin' } })), scene, WRONG_TIER);
    }
    expect((await scene.client.get(scene.collection)).body.data).toEqual(before);
    if (updates) ok(await update(scene, record, tiered(scene, 'a', { custom: { tier: 'silver' } })));
  });

  it('must be there, and for this kind', async () => {
    const scene = await setScene(server.current.url, name);
    const other = name === 'wallet' ? 'symbol' : 'wallet';
    await define(scene.client, other, 'foreign', {});
    for (const schema of ['ghost', 'foreign']) {
      const answer = await create(scene, tiered(scene, 'a', { schema }));
      const detail =
        name === 'bridge'
          ? `Referenced Schema ${schema} not found.`
          : `Schema ${schema} not found for record of type ${name}.`;
      expectRefusal(answer, scene.client, 'record.relation-not-found', detail);
    }
  });

  it('makes all records of the kind name one, from their next update on', async () => {
    const scene = await setScene(server.current.url, name);
    const free = !ALWAYS_NAMED.includes(name) && !BORN_WITH.includes(name);
    const early = free ? await make(scene) : undefined;
    await define(scene.client, name, 'tiered', TIERED);
    const unnamed = without(tiered(scene, 'b'), 'schema');
    const answer = await create(scene, unnamed);
    if (ALWAYS_NAMED.includes(name)) {
      expectRefusal(answer, scene.client, 'record.schema-invalid', /must have required property 'schema'/);
    } else expectUnnamed(answer, scene);
    if (!early || !updates) return;
    expect((await scene.client.get(scene.path)).body).toEqual(early);
    expectUnnamed(await update(scene, early, scene.data), scene);
    ok(await update(scene, early, tiered(scene, scene.handle)));
  });
});

describe('the schema of a user', () => {
  const wallet = (more: JsonObject): JsonObject => ({ handle: 'w', schema: 's', ...more });

  it('tells of everything that does not match', async () => {
    const client = await newLedger(server.current.url);
    const amount = { type: 'integer', maximum: 50 };
    const claims = { type: 'array', items: { properties: { amount } } };
    await define(client, 'intent', 's', { type: 'object', properties: { claims } });
    const claim = { action: 'issue', target: 'alice', symbol: 'usd' };
    const data = {
      handle: 'i',
      schema: 's',
      claims: [
        { ...claim, amount: 51 },
        { ...claim, amount: 52 },
      ],
    };
    const answer = await client.create('/intents', data);
    const message = 'must be <= 50';
    expectRefusal(
      answer,
      client,
      'record.schema-invalid',
      `Schema validator error: data.claims.0.amount ${message}, data.claims.1.amount ${message}`,
      {
        errors: [0, 1].map((index) => ({
          instancePath: `/claims/${index}/amount`,
          schemaPath: '#/properties/claims/items/properties/amount/maximum',
          keyword: 'maximum',
          params: { comparison: '<=', limit: 50 },
          message,
        })),
      },
    );
    expect((await client.get('/intents')).body.data).toEqual([]);
  });

  it.each(['inactive', 'blocked'])('counts as if there were none while it is %s', async (status) => {
    const client = await newLedger(server.current.url);
    const schema = await define(client, 'wallet', 's', TIERED);
    const data = wallet({ custom: { tier: 'gold' } });
    const made = ok(await client.create('/wallets', data)).body;
    ok(await client.prove('/schemas/s', schema, { status }));
    for (const answer of [
      await client.create('/wallets', { ...data, handle: 'v' }),
      await client.update('/wallets/w', made, { ...data, bridge: 'b' }),
    ]) {
      const detail = 'Schema s not found for record of type wallet.';
      expectRefusal(answer, client, 'record.relation-not-found', detail);
      expect(answer.body.data.custom.hint).toBe(
        `Schema s has the status ${status}, and so counts as if there were none.`,
      );
    }
    const { schema: _, ...without } = data;
    ok(await client.create('/wallets', { ...without, handle: 'v' }));
    const now = ok(await client.get('/schemas/s')).body;
    ok(await client.prove('/schemas/s', now, { status: 'active' }));
    expect((await client.create('/wallets', { ...without, handle: 'u' })).status).toBe(422);
    ok(await client.create('/wallets', { ...data, handle: 'u' }));
  });

  it('is enforced while it is in use, and by its newest version', async () => {
    const client = await newLedger(server.current.url);
    const schema = await define(client, 'wallet', 's', TIERED);
    expectRefusal(await client.create('/wallets', wallet({})), client, 'record.schema-invalid', NO_CUSTOM.detail, {
      errors: NO_CUSTOM.errors,
    });
    const made = ok(await client.create('/wallets', wallet({ custom: { tier: 'gold' } }))).body;
    for (const status of ['active', 'paused', null]) {
      ok(await client.prove('/schemas/s', schema, { status }));
      expect((await client.create('/wallets', wallet({ handle: 'v' }))).status).toBe(422);
    }

    const { data } = schema;
    ok(await client.update('/schemas/s', schema, { ...data, schema: { ...TIERED, required: ['custom', 'bridge'] } }));
    const answer = await client.create('/wallets', wallet({ handle: 'v', custom: { tier: 'gold' } }));
    expectRefusal(
      answer,
      client,
      'record.schema-invalid',
      "Schema validator error: data must have required property 'bridge'",
      {
        errors: [
          {
            ...NO_CUSTOM.errors[0],
            params: { missingProperty: 'bridge' },
            message: "must have required property 'bridge'",
          },
        ],
      },
    );
    // What was stored before is not judged again.
    expect((await client.get('/wallets/w')).body).toEqual(made);
    ok(await client.prove('/wallets/w', made, { status: 'active' }));
  });

  it('has no effect on other kinds, nor by what it extends', async () => {
    const client = await newLedger(server.current.url);
    await define(client, 'symbol', 's', TIERED);
    ok(await client.create('/wallets', { handle: 'free' }));
    const extending = { handle: 'e', record: 'wallet', format: 'json-schema', schema: {}, extend: 's' };
    await stored(client, 'schema', extending);
    await stored(client, 'schema', { ...extending, handle: 'itself', extend: 'itself' });
    ok(await client.create('/wallets', { handle: 'w', schema: 'e' }));
    ok(await client.create('/wallets', { handle: 'v', schema: 'itself' }));
  });

  it('must be a JSON Schema of one of the kinds, in the one format', async () => {
    const client = await newLedger(server.current.url);
    const post = (data: JsonObject) => client.call('POST', '/schemas', signed(data, client.key));
    const whole = { handle: 's', record: 'wallet', format: 'json-schema', schema: {} };
    const nonsense = await post({ ...whole, schema: { type: 'nonsense' } });
    const message =
      'schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf';
    expectRefusal(nonsense, client, 'record.schema-invalid', 'Schema content is invalid', { error: { message } });
    for (const record of ['ledger', 'schema', 'circle-signer', 'any']) {
      const allowed =
        'anchor, anchor-lookup, bridge, circle, domain, effect, intent, policy, report, signer, signer-factor, symbol, wallet';
      expectRefusal(
        await post({ ...whole, record }),
        client,
        'record.schema-invalid',
        `Schema validation error: request/body/data/record must be equal to one of the allowed values: ${allowed}`,
      );
    }
    expectRefusal(
      await post({ ...whole, format: 'xml' }),
      client,
      'record.schema-invalid',
      'Schema validation error: request/body/data/format must be equal to one of the allowed values: json-schema',
    );
    expect((await client.get('/schemas?data.record=wallet')).body.data).toEqual([]);
  });
});
