import { hash as hashOf, type Json, type JsonObject } from '@countersign/protocol';
import { native } from '../../src/auth/native-suite.js';
import { newLedger, proofOver, signed, type TestClient } from '../support/client.js';
import { stored } from '../support/scene.js';
import { bearer } from '../support/token.js';

/** Sizes of an attack, each between 0 and 1: what the search turns. */
export type Sizes = readonly [number, number, number, number];

/** An attack on the event loop: what a tenant may store, and the request that is then sent again and again. */
export interface Attack {
  readonly name: string;
  /** Makes a ledger and what it holds; gives the request. */
  prepare(url: string, sizes: Sizes): Promise<() => Promise<unknown>>;
}

/** Between `least` and `most`, by the size. */
function scaled(size: number, least: number, most: number): number {
  return Math.round(least + size * (most - least));
}

function members<T extends Json>(count: number, make: (index: number) => T): { [name: string]: T } {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, make(i)]));
}

function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** A ledger whose owner may do everything, and whose policies say what everyone else may read. */
async function tenant(url: string, references: number, config?: JsonObject): Promise<TestClient> {
  const open = await newLedger(url, {
    access: [
      { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
      { action: 'access', record: 'ledger' },
      ...list(references, (i) => ({ policy: `p-${i}` })),
    ],
    ...(config ? { config } : {}),
  });
  return open;
}

async function policies(client: TestClient, count: number, values: Json[], more: JsonObject = {}): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await stored(client, 'policy', { handle: `p-${i}`, schema: 'access', values, ...more });
  }
}

/** A text that nearly matches all along; and has what comes last in the patterns at its beginning, where it is of no use. */
function nearly(characters: number, kind: number): string {
  return `z${texts(characters)[scaled(kind, 0, 2)]}`;
}

function texts(characters: number): string[] {
  return ['a'.repeat(characters), 'ab'.repeat(characters >> 1), 'é'.repeat(characters >> 1)];
}

/** Patterns that are dear to search for in such a text. */
function dear(kind: number): string {
  const patterns = [
    `${'a%'.repeat(500)}z`,
    `${'a'.repeat(500)}b${'a'.repeat(500)}`,
    `${'_'.repeat(1_000)}z`,
    `${'a_'.repeat(500)}z`,
    `${'_a%'.repeat(340)}z`,
    `bb${'ab'.repeat(500)}`,
    `${'a'.repeat(200)}${'_'.repeat(800)}z`,
  ];
  return patterns[scaled(kind, 0, patterns.length - 1)] ?? '';
}

/** Anyone reads one record, judged by patterns over its text. */
const patterns: Attack = {
  name: 'patterns over a long text',
  async prepare(url, [text, kind, pattern, count]) {
    const client = await tenant(url, 1);
    const filter = { 'custom.t': { $regex: dear(pattern) } };
    await policies(
      client,
      1,
      list(scaled(count, 1, 500), () => ({ action: 'read', record: 'wallet', filter })),
    );
    await stored(client, 'wallet', { handle: 'w', custom: { t: nearly(scaled(text, 1_000, 900_000), kind) } });
    return () => client.get('/wallets/w');
  },
};

/** Anyone lists records, each judged by many values. */
const many: Attack = {
  name: 'many records judged by many values',
  async prepare(url, [records, values, size, kind]) {
    const count = scaled(values, 1, 10);
    const client = await tenant(url, count);
    const each = [
      { filter: { 'custom.t': { $regex: 'x%y' } } },
      { filter: { 'custom.t': { $in: list(20, (i) => `no ${i}`) } } },
      { signer: { $in: list(20, (i) => ({ handle: `nobody-${i}` })) } },
      { bearer: { $in: list(20, (i) => ({ sub: `nobody-${i}` })) } },
      { filter: members(20, () => 'x') },
    ][scaled(kind, 0, 4)];
    const filter = each?.filter && !('custom.t' in each.filter) ? { filter: custom(each.filter) } : each;
    await policies(
      client,
      count,
      list(size > 0.5 ? 1_000 : 500, () => ({ action: 'read', record: 'wallet', ...filter })),
    );
    const made = list(scaled(records, 20, 300), (i) => i);
    const text = 'x'.repeat(scaled(size, 1, 3_000));
    for (let at = 0; at < made.length; at += 25) {
      await Promise.all(
        made.slice(at, at + 25).map((i) => stored(client, 'wallet', { handle: `w-${i}`, custom: { t: text } })),
      );
    }
    return () => client.get('/wallets?page.limit=1000');
  },
};

function custom(filter: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [`custom.${name}`, value]));
}

/** Bodies as large as they may be, that are refused at the end or stored. */
const bodies: Attack = {
  name: 'large bodies',
  async prepare(url, [size, kind, good, labels]) {
    const client = await newLedger(url);
    const count = scaled(size, 1_000, 40_000);
    const data = [
      members(count, (i) => `v${i}`),
      { a: list(count, (i) => i) },
      { a: list(200, () => list(count / 200, () => 'xxxxxxxx')) },
      { t: '\u0001'.repeat(count * 4) },
      { a: list(count, (i) => ({ [`k${i % 7}`]: i })) },
    ][scaled(kind, 0, 4)] as JsonObject;
    let number = 0;
    return () => {
      number += 1;
      const body = signed({ handle: `w-${number}`, custom: data }, client.key);
      if (good < 0.5) (body.meta.proofs[0] as { result: string }).result = `${'A'.repeat(86)}==`;
      const proofs = list(scaled(labels, 1, 90), () => body.meta.proofs[0]);
      return client.call('POST', '/wallets', { ...body, meta: { proofs: good < 0.5 ? body.meta.proofs : proofs } });
    };
  },
};

/** Schemas that take long to compile, and that are refused as data or stored anew under other handles. */
const compiled: Attack = {
  name: 'schemas to compile',
  async prepare(url, [size, kind, repeat]) {
    const client = await newLedger(url);
    const optional = list(480, (i) => `${String.fromCharCode(0x4e00 + 2 * i)}?`).join('');
    const several = [
      () => ({ type: 'string', minLength: 1, maxLength: 9 }),
      () => ({ minimum: 1, maximum: 2, multipleOf: 3, minLength: 1, minItems: 1, maxItems: 2 }),
      () => ({ format: 'date-time' }),
      () => ({ required: list(12, (i) => `k${i}`) }),
      () => ({ pattern: '^[a-z]{30}x' }),
      (i: number) => ({ pattern: `[${'\\p{L}'.repeat(180)}]a${i}` }),
      (i: number) => ({ pattern: `^${optional}${i}$` }),
      (i: number) => ({ pattern: `^\\p{L}{90${i}}$` }),
    ];
    const each = several[scaled(kind, 0, several.length - 1)] as (index: number) => JsonObject;
    const most = [198, 98, 295, 290, 60, 52, 10, 10][scaled(kind, 0, several.length - 1)] ?? 100;
    let number = 0;
    return () => {
      number += 1;
      const schema = { properties: members(scaled(size, 10, most), each), title: `${number}` };
      const handle = repeat < 0.5 ? 'not a handle' : `s-${number}`;
      return client.create('/schemas', { handle, record: 'wallet', format: 'json-schema', schema });
    };
  },
};

/** Data that takes long to be judged by a schema. */
const judged: Attack = {
  name: 'data judged by a schema',
  async prepare(url, [kind, size, alternatives]) {
    const client = await newLedger(url);
    const [items, values] = [
      [
        { anyOf: [...Array(scaled(alternatives, 10, 290)).fill({ type: 'string' }), { minimum: 0 }] },
        list(scaled(size, 100, 40_000), () => 1),
      ],
      [{ pattern: '^[01]*1[01]{90}x?$' }, [`${'01101'.repeat(scaled(size, 100, 180_000))}y`]],
      [{ not: { format: 'url' } }, list(400, () => `http://${':'.repeat(scaled(size, 10, 2_000))}`)],
      [{ not: { format: 'timezone' } }, list(scaled(size, 10, 20_000), () => 'Nowhere')],
      [{ type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }, list(12_000, () => ({ a: 1 }))],
    ][scaled(kind, 0, 4)] as [JsonObject, Json[]];
    const schema = { properties: { custom: { properties: { a: { items } } } } };
    await stored(client, 'schema', { handle: 's', record: 'wallet', format: 'json-schema', schema });
    const text = JSON.stringify(signed({ handle: 'w', schema: 's', custom: { a: values } }, client.key));
    return () => client.call('POST', '/wallets', text);
  },
};

/** An access check that finds a great many rules, each of which is signed. */
const checks: Attack = {
  name: 'access checks',
  async prepare(url, [values, size]) {
    const count = scaled(values, 1, 6);
    const client = await tenant(url, count);
    const bearers = { action: 'read', bearer: {}, record: { $in: list(scaled(size, 1, 60), () => 'wallet') } };
    await policies(
      client,
      count,
      list(1_000, () => bearers),
    );
    await stored(client, 'wallet', { handle: 'w' });
    const token = bearer(client.key);
    return () => client.call('POST', '/wallets/w/access/!check', signed({ action: 'read' }, client.key), token);
  },
};

/** Domains within domains, each with rules that refer to policies. */
const domains: Attack = {
  name: 'domains within domains',
  async prepare(url, [depth, rules, values]) {
    const client = await tenant(url, 1);
    await policies(
      client,
      1,
      list(scaled(values, 1, 1_000), () => ({ action: 'read', record: 'wallet', signer: {} })),
    );
    const access = list(scaled(rules, 1, 50), () => ({ policy: { $in: ['p-0', 'p-1'] } }));
    let last: string | undefined;
    for (let level = 0; level < scaled(depth, 2, 60); level += 1) {
      const domain = last === undefined ? {} : { custom: { domain: last } };
      const handle = `d-${level}`;
      const data = { handle, access } as JsonObject;
      const body = signed(data, client.key, { status: 'created', ...(domain.custom ?? {}) });
      await client.call('POST', '/domains', body);
      last = handle;
    }
    for (let i = 0; i < 40; i += 1) {
      await client.create('/wallets', { handle: `w-${i}` }, { status: 'created', domain: last ?? '' });
    }
    return () => client.get('/wallets?page.limit=100');
  },
};

/** Large records, read and listed. */
const large: Attack = {
  name: 'large records, read and listed',
  async prepare(url, [count, kind, lists, judge]) {
    const client = judge < 0.5 ? await newLedger(url) : await tenant(url, 1);
    if (judge >= 0.5) {
      const filter = { 'custom.p1': { $ne: 'x' } };
      await policies(client, 1, [{ action: 'read', record: 'wallet', filter }]);
    }
    const data = kind < 0.5 ? members(40_000, (i) => `v${i}`) : { p1: 'é'.repeat(400_000) };
    const made = scaled(count, 1, 6);
    for (let i = 0; i < made; i += 1) await stored(client, 'wallet', { handle: `w-${i}`, custom: data });
    let number = 0;
    return () => {
      number += 1;
      return client.get(lists < 0.5 ? '/wallets' : `/wallets/w-${number % made}`);
    };
  },
};

/** Large signers, many of whom sign one body. */
const signers: Attack = {
  name: 'proofs of many large signers',
  async prepare(url, [count, size]) {
    const client = await newLedger(url);
    const keys = list(scaled(count, 1, 12), () => native.publicKey).map((_, i) => Buffer.alloc(32, i + 1));
    const pairs = keys.map((secret) => ({
      secret,
      public: Buffer.from(native.publicKey(secret)).toString('base64'),
    }));
    for (const [i, pair] of pairs.entries()) {
      const data = members(scaled(size, 10, 30_000), (at) => at);
      await stored(client, 'signer', { handle: `s-${i}`, format: 'ed25519-raw', public: pair.public, custom: data });
    }
    const data = { handle: 'w', custom: {} };
    const hash = hashOf(data, native);
    return () => {
      const proofs = pairs.map((pair) => proofOver(hash, pair, { status: 'created' }));
      return client.call('POST', '/wallets', { hash, data, meta: { proofs } });
    };
  },
};

/** Status policies with patterns, asked by proofs. */
const statuses: Attack = {
  name: 'status policies',
  async prepare(url, [values, pattern, text, quorum]) {
    const client = await newLedger(url);
    const filter = { 'custom.t': { $regex: dear(pattern) } };
    const value = { status: 'done', quorum: list(scaled(quorum, 1, 40), (i) => ({ handle: `s-${i}` })), filter };
    const data = {
      handle: 'st',
      schema: 'status',
      record: 'wallet',
      values: list(scaled(values, 1, 200), () => value),
    };
    await stored(client, 'policy', data as JsonObject);
    const made = await stored(client, 'wallet', {
      handle: 'w',
      custom: { t: nearly(scaled(text, 10, 900_000), 0) },
    }).catch(() => undefined);
    if (!made) return () => client.create('/wallets', { handle: 'w2', custom: { t: nearly(400_000, 0) } });
    return () => client.prove('/wallets/w', made, { status: 'done' });
  },
};

/** Rules that are loaded anew for each request, since each changes them. */
const rules: Attack = {
  name: 'rules that change all the time',
  async prepare(url, [values, count]) {
    const client = await tenant(url, 3, { 'access.strategy': 'record-based' });
    const filter = { 'custom.t': { $in: list(scaled(values, 1, 60), (i) => `no ${i}`) } };
    await policies(
      client,
      scaled(count, 1, 6),
      list(600, () => ({ action: 'read', record: 'wallet', filter })),
    );
    let number = 0;
    return () => {
      number += 1;
      return client.create('/policies', { handle: `q-${number}`, schema: 'access', values: [] });
    };
  },
};

export const attacks: readonly Attack[] = [
  patterns,
  many,
  bodies,
  compiled,
  judged,
  checks,
  domains,
  large,
  signers,
  statuses,
  rules,
];
