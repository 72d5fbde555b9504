import { hash as hashOf, isObject, type Json, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { examples } from '../kinds/examples.js';
import {
  dropOf,
  newKey,
  newLedger,
  proofOver,
  signed,
  type TestAnswer,
  type TestClient,
  updateOf,
} from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { Description } from './description.js';

const RUNS = Number(process.env.FUZZ_RUNS ?? (process.env.LONG_TESTS ? 1_000 : 30));

/** What is done to a body: somewhere in it a value is put, or taken away. Places wrap around what there is. */
interface Mutation {
  readonly places: readonly number[];
  readonly change: 'replace' | 'remove' | 'add' | 'wrap';
  readonly name: string;
  readonly value: Json;
}

const names = fc.oneof(
  fc.string({ maxLength: 8, unit: 'binary' }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '',
    'hash',
    'handle',
    'luid',
    'meta',
    'custom',
    '$in',
    '\ud800',
  ),
);
const values: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    'a'.repeat(300),
    '😀',
    'intent:status',
    'a@b',
    '{{ secret.a }}',
    '$wlt.-0123456789abcdef',
  ),
  fc.constantFrom<Json>(
    -0,
    -1,
    0.5,
    1e21,
    2 ** 53,
    5e-324,
    Number.MAX_SAFE_INTEGER,
    [],
    [[]],
    {},
    [null],
    { $in: [] },
    { $push: 1 },
  ),
);
const mutation: fc.Arbitrary<Mutation> = fc.record({
  places: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
  change: fc.constantFrom('replace', 'remove', 'add', 'wrap'),
  name: names,
  value: values,
});
const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });

describe('mutated requests', () => {
  const server = withOwnServer();
  let described: Description;
  let client: TestClient;
  let database: pg.Client;
  let made = 0;

  beforeAll(async () => {
    described = await Description.of(server.current.url);
    client = await newLedger(server.current.url);
    database = new pg.Client({ connectionString: server.current.database.url });
    await database.connect();
  });
  afterAll(() => database?.end());

  const stored = async () => (await database.query('select count(*)::int as n from change')).rows[0].n as number;

  /** Never a 5xx, always as described; what is refused stores nothing, what is taken one change. */
  async function expectSane(method: string, path: string, body: string): Promise<TestAnswer> {
    const before = await stored();
    const answer = await client.call(method, path, body);
    const shown = `${method} ${path} ${body}\n${answer.text}`;
    expect(answer.status, shown).toBeLessThan(500);
    expect(described.answerErrors(method, path, answer.status, answer.body), shown).toBeUndefined();
    if (answer.status >= 400) expect(await stored(), shown).toBe(before);
    else expect((await stored()) - before, shown).toBeLessThanOrEqual(1);
    return answer;
  }

  const check = (property: fc.IAsyncProperty<unknown>) => fc.assert(property, { numRuns: RUNS });
  const wallet = async (): Promise<RecordEnvelope> => {
    made += 1;
    return (await client.create('/wallets', { handle: `fuzzed-${made}`, custom: { a: [1, { b: 'c' }] } })).body;
  };

  const TOP: readonly KindName[] = [
    'wallet',
    'signer',
    'policy',
    'schema',
    'effect',
    'bridge',
    'symbol',
    'intent',
    'anchor',
    'report',
    'domain',
    'circle',
  ];

  it('holds for creates of every kind, signed anew or not', async () => {
    for (const kind of ['circle', 'signer', 'wallet', 'anchor', 'report', 'signer-factor'] as const) {
      for (const need of examples[kind].needs?.('needed') ?? [])
        await client.create(`/${kindNamed(need.kind).path}`, need.data);
    }
    await check(
      fc.asyncProperty(fc.constantFrom(...TOP), mutations, fc.boolean(), async (name, changes, anew) => {
        made += 1;
        const { full, secret } = examples[name];
        const data = { ...full(`fuzzed-${made}`), ...(name === 'signer' ? { public: newKey().public } : {}) };
        const body = {
          ...signed(data, client.key),
          meta: { ...signed(data, client.key).meta, ...(secret ? { secret } : {}) },
        };
        const text = anew ? signedAnew(mutated(data, changes), client) : JSON.stringify(mutated(body, changes));
        await expectSane('POST', `/${kindNamed(name).path}`, text);
      }),
    );
  });

  it('holds for updates', async () => {
    await check(
      fc.asyncProperty(mutations, fc.boolean(), async (changes, anew) => {
        const record = await wallet();
        const body = updateOf(record, { handle: String(record.data.handle), custom: { a: [2] } }, client.key);
        const text = anew ? signedAnew(mutated(body.data, changes), client) : JSON.stringify(mutated(body, changes));
        await expectSane('PUT', `/wallets/${record.luid}`, text);
      }),
    );
  });

  it('holds for proofs', async () => {
    await check(
      fc.asyncProperty(mutations, fc.boolean(), async (changes, anew) => {
        const record = await wallet();
        const custom = { status: 'active', labels: { $push: ['a'] }, note: { a: 1 } };
        const said = mutated(custom, changes);
        const proof =
          anew && isObject(said) && isHashable(said)
            ? proofOver(record.hash, client.key, said)
            : mutated(proofOver(record.hash, client.key, custom), changes);
        await expectSane('POST', `/wallets/${record.luid}/proofs`, JSON.stringify(proof));
      }),
    );
  });

  it('holds for drops and access checks', async () => {
    await check(
      fc.asyncProperty(mutations, fc.constantFrom('DELETE', 'POST', 'CHECK'), async (changes, how) => {
        const record = await wallet();
        const path = `/wallets/${record.luid}`;
        if (how === 'CHECK') {
          const body = mutated(signed({ action: 'read', record: 'wallet' }, client.key), changes);
          await expectSane('POST', `${path}/access/!check`, JSON.stringify(body));
        } else {
          const body = JSON.stringify(mutated(dropOf(record, client.key, 'why'), changes));
          await expectSane(how, how === 'POST' ? `${path}/drop` : path, body);
        }
      }),
    );
  });

  it('holds for texts with bytes changed, and for any text', async () => {
    const text = JSON.stringify(signed({ handle: 'text', custom: { a: 'é😀\\"' } }, client.key));
    await check(
      fc.asyncProperty(
        fc.nat(text.length),
        fc.string({ maxLength: 3, unit: 'binary' }),
        fc.nat(3),
        async (at, put, cut) => {
          await expectSane('POST', '/wallets', text.slice(0, at) + put + text.slice(at + cut));
        },
      ),
    );
    await check(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), async (any) => {
        if (any !== '') await expectSane('POST', '/wallets', any);
      }),
    );
  });

  it('holds for paths and queries', async () => {
    const part = fc.oneof(
      fc.string({ maxLength: 12, unit: 'binary' }).filter(isHashable),
      fc.constantFrom('w', 'changes', 'factors', 'system', '1', '$wlt.-0123456789abcdef', '%00', '..', 'proofs', ''),
    );
    const key = fc.oneof(
      part,
      fc.constantFrom('data.handle', 'data.custom.a', 'meta.moment', 'page.limit', 'page[index]', 'meta.labels'),
    );
    const operator = fc.constantFrom('', '.$gt', '.$in[0]', '.$in', '.$ne', '.$regex', '[$lte]', '.$nin[3]', '.$foo');
    const query = fc.array(fc.tuple(key, operator, part), { maxLength: 4 });
    await check(
      fc.asyncProperty(
        fc.constantFrom('wallets', 'signers', 'intents', 'anchors'),
        fc.array(part, { maxLength: 3 }),
        query,
        async (kind, parts, keys) => {
          const path = [`/${kind}`, ...parts.map(encodeURIComponent)].join('/');
          const search = keys.map(
            ([name, op, value]) => `${encodeURIComponent(name + op)}=${encodeURIComponent(value)}`,
          );
          const answer = await client.get(`${path}?${search.join('&')}`);
          expect(answer.status, `${path}?${search.join('&')}\n${answer.text}`).toBeLessThan(500);
        },
      ),
    );
  });
});

function mutated(body: Json, changes: readonly Mutation[]): Json {
  return changes.reduce((value, change) => at(value, change, change.places), body);
}

/** Goes down by the places, as far as there is something below, and changes what is there. */
function at(value: Json, mutation: Mutation, [place = 0, ...deeper]: readonly number[]): Json {
  const keys = isObject(value) || Array.isArray(value) ? Object.keys(value) : [];
  const key = keys[place % (keys.length || 1)];
  if (key === undefined) return changed(value, mutation);
  const entries = keys.map((name) => [name, (value as JsonObject)[name]] as [string, Json]);
  const next = entries.flatMap(([name, inner]): [string, Json][] => {
    if (name !== key) return [[name, inner]];
    if (deeper.length > 0) return [[name, at(inner, mutation, deeper)]];
    if (mutation.change === 'remove') return [];
    if (mutation.change === 'add')
      return [
        [name, inner],
        [mutation.name, mutation.value],
      ];
    return [[name, changed(inner, mutation)]];
  });
  if (Array.isArray(value)) return next.map(([, inner]) => inner);
  // `Object.fromEntries` defines members, so that even `__proto__` is one that is sent.
  return Object.fromEntries(next);
}

function changed(value: Json, { change, name, value: put }: Mutation): Json {
  if (change === 'wrap') return { [name]: value };
  return put;
}

/** The data with a hash and a proof that fit, where it has a hash at all. */
function signedAnew(data: Json, { key }: TestClient): string {
  return JSON.stringify(isHashable(data) ? signed(data as JsonObject, key) : { data });
}

function isHashable(value: Json): boolean {
  try {
    hashOf(value, native);
    return true;
  } catch {
    return false;
  }
}
