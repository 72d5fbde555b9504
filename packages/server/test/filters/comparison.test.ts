import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { filterLimits } from '../../src/access/filter-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();
let client: TestClient;

beforeAll(async () => {
  client = await newLedger(server.current.url);
});

/** A filter as it is sent. */
function sent(key: string, value: string): string {
  return `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
}

/** The handles found, oldest first. */
async function found(query: string, path = '/wallets'): Promise<unknown[]> {
  const records = ok(await client.get(`${path}?${query}`)).body.data;
  return records.map(({ data }: { data: JsonObject }) => data.handle).toReversed();
}

describe('a value is compared by the type of the stored one (interface/lists#comparison)', () => {
  beforeAll(async () => {
    await stored(client, 'wallet', { handle: 'number', custom: { v: 100 } });
    await stored(client, 'wallet', { handle: 'text', custom: { v: '100' } });
    await stored(client, 'wallet', { handle: 'zero', custom: { v: -0 } });
    await stored(client, 'wallet', { handle: 'yes', custom: { v: true } });
    await stored(client, 'wallet', { handle: 'null', custom: { v: null } });
  });

  it.each(['1e2', '100.0', '1E+2', '0100', '+100', '100.', '1000e-1'])('100 written %s', async (value) => {
    expect(await found(sent('data.custom.v', value))).toEqual(['number']);
    expect(await found(sent('data.custom.v.$gte', value))).toContain('number');
    expect(await found(sent('data.custom.v.$gt', value))).not.toContain('number');
  });

  it.each(['1e', '0x64', '100 ', '1_00', '١٠٠', 'Infinity'])('%j writes no number, and matches none', async (value) => {
    for (const operator of ['$eq', '$gt', '$gte', '$lt', '$lte']) {
      expect(await found(sent(`data.custom.v.${operator}`, value))).not.toContain('number');
    }
    expect(await found(sent('data.custom.v.$ne', value))).toContain('number');
  });

  it('-0 is 0, and what is beyond every number is greater or less than all', async () => {
    expect(await found(sent('data.custom.v', '-0.0'))).toEqual(['zero']);
    const both = `${sent('data.custom.v.$gt', '-1e999')}&${sent('data.custom.v.$lt', '1e999')}`;
    // As texts, the one begins with a sign and the other with a digit.
    expect(await found(both)).toEqual(['number', 'text', 'zero']);
    expect(await found(sent('data.custom.v', '1e999'))).toEqual([]);
  });

  it('a boolean only with true and false, null with nothing', async () => {
    expect(await found(sent('data.custom.v', 'true'))).toEqual(['yes']);
    expect(await found(sent('data.custom.v.$gt', 'false'))).toEqual(['yes']);
    expect(await found(sent('data.custom.v.$gt', 'a'))).toEqual([]);
    expect(await found(sent('data.custom.v.$lte', 'null'))).toEqual(['text']);
    expect(await found(sent('data.custom.v', 'null'))).toEqual([]);
    expect(await found(sent('data.custom.v.$ne', 'null'))).toContain('null');
  });

  it('strings by UTF-16 code unit, beyond the BMP too', async () => {
    const texts = ['a', '\ud7ff', '\u{10000}', '\u{1f600}', '\u{10ffff}', '\ue000', '\uff21', '\uffff'];
    expect(texts.toSorted()).toEqual(texts);
    for (const [index, text] of texts.entries()) {
      await stored(client, 'wallet', { handle: `u${index}`, custom: { u: `é${text}z` } });
    }
    for (const [index, text] of texts.entries()) {
      const all = texts.map((_, other) => `u${other}`);
      expect(await found(sent('data.custom.u.$lt', `é${text}z`))).toEqual(all.slice(0, index));
      expect(await found(sent('data.custom.u.$gte', `é${text}z`))).toEqual(all.slice(index));
      expect(await found(sent('data.custom.u', `é${text}z`))).toEqual([`u${index}`]);
      expect(await found(sent('data.custom.u.$regex', `^${text}`))).toEqual([]);
      expect(await found(sent('data.custom.u.$regex', 'é_z'))).toEqual(all);
    }
  });
});

describe('names and values of any text', () => {
  const names = [
    'q"uote',
    "apo'strophe",
    'back\\slash',
    'per%cent',
    'sp ace',
    '*',
    '@',
    '?(@ == 1)',
    'ключ',
    '\u{1f600}',
  ];

  it.each(names)('are only themselves: %j', async (name) => {
    const handle = `n${names.indexOf(name)}`;
    await stored(client, 'wallet', { handle, custom: { [name]: { v: name }, other: { v: 'x' } } });
    expect(await found(sent(`data.custom.${name}.v`, name))).toEqual([handle]);
    expect(await found(sent(`data.custom.${name}.v.$gte`, name))).toEqual([handle]);
    expect(await found(sent(`data.custom.${name}.v.$gt`, name))).toEqual([]);
    expect(await found(sent(`data.custom.${name}.v.$regex`, name.replaceAll(/[\\%_.]/g, '\\$&')))).toEqual([handle]);
    expect(await found(sent(`data.custom.${name}.v`, `${name}"`))).toEqual([]);
  });

  it('with a dot lead where steps with dots between them lead', async () => {
    await stored(client, 'wallet', { handle: 'dotted', custom: { 'first.name': 'Ann' } });
    await stored(client, 'wallet', { handle: 'nested', custom: { first: { name: 'Ann' } } });
    expect(await found('data.custom.first.name=Ann')).toEqual(['dotted', 'nested']);
    expect(await found('data[custom][first.name]=Ann')).toEqual(['dotted', 'nested']);
    // However the steps are written, they count.
    const deep = `data[custom][${Array(filterLimits.depth - 1)
      .fill('x')
      .join('.')}]`;
    expectRefusal(
      await client.get(`/wallets?${sent(deep, '1')}`),
      client,
      'api.query-malformed',
      `Unsupported filters: '${deep}'`,
    );
  });

  it('a set finds each of its elements, of every type', async () => {
    const values = [-7, 7, '7.5', true, 'true', '\u{1f600}', ''];
    for (const [index, v] of values.entries())
      await stored(client, 'wallet', { handle: `s${index}`, custom: { set: v } });
    const set = ['-7.0', '7.5', 'true', '\u{1f600}', 'x'];
    const query = (operator: string) => set.map((value) => sent(`data.custom.set.${operator}`, value)).join('&');
    expect(await found(query('$in'))).toEqual(['s0', 's2', 's3', 's4', 's5']);
    expect(await found(`${query('$nin')}&data.custom.set.$gte=`)).toEqual(['s6']);
    const most = Array.from({ length: filterLimits.elements }, (_, index) =>
      sent('data.custom.set.$in', `${index - 7}`),
    );
    expect(await found(most.join('&'))).toEqual(['s0', 's1']);
  });
});

describe('meta.moment is compared as an instant', () => {
  const refused = [
    ...['2030-02-30', '2030-13-01', '2030-00-10', '2030-01-00', '2030-01-01T24:00:00Z', '2030-01-01T00:60:00Z'],
    ...['2030-01-01T00:00:60Z', '2030-01-01T00:00:00+24:00', '2030-01-01T00:00:00+00:60', '2030-01-01T00Z'],
    ...['2030-1-1', '20300101', '+002030-01-01', '2030-01-01T00:00:00.Z', '2030-01-01T00:00:00.1234567890Z'],
    ...['infinity', 'now', '2030-01-01 ', "2030-01-01'::text"],
  ];

  it.each(refused)('and %j is none', async (value) => {
    const answer = await client.get(`/wallets?${sent('meta.moment.$gt', value)}`);
    const detail = `meta.moment must be compared with an ISO 8601 date: '${value}'`;
    expectRefusal(answer, client, 'api.query-malformed', detail);
  });

  it('whatever the offset, and without one in UTC', async () => {
    const wallet = await stored(client, 'wallet', { handle: 'moment' });
    const one = (key: string, value: string) => found(`${sent(key, value)}&data.handle=moment`);
    const at = wallet.meta.moment;
    const elsewhere = (minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString().slice(0, -1);
    for (const value of [
      at,
      at.slice(0, -1),
      at.replace('Z', '000Z'),
      `${elsewhere(0)}-00:00`,
      `${elsewhere(345)}+05:45`,
      `${elsewhere(345)} 05:45`,
      `${elsewhere(-23 * 60)}-23:00`,
      `${elsewhere(14 * 60)}+1400`,
    ]) {
      expect(await one('meta.moment', value), value).toEqual(['moment']);
      expect(await one('meta.moment.$lt', value), value).toEqual([]);
      expect(await one('meta.moment.$in', value), value).toEqual(['moment']);
    }
    expect(await one('meta.moment.$lt', at.replace('Z', '001Z'))).toEqual(['moment']);
    expect(await one('meta.moment.$gt', at.replace('Z', '001Z'))).toEqual([]);
    expect(await one('meta.moment.$ne', at)).toEqual([]);
    expect(await one('meta.moment.$gte', at.slice(0, 10))).toEqual(['moment']);
  });

  it('as long ago or far ahead as four digits go', async () => {
    for (const value of ['0000-01-01', '0001-01-01', '0099-12-31', '0000-01-01T00:00:00+23:59', '1582-10-10']) {
      expect(await found(`${sent('meta.moment.$gt', value)}&data.handle=moment`)).toEqual(['moment']);
    }
    for (const value of ['9999-12-31', '9999-12-31T23:59:59.999999999-23:59']) {
      expect(await found(`${sent('meta.moment.$lt', value)}&data.handle=moment`)).toEqual(['moment']);
    }
  });
});

describe('what has a column of its own', () => {
  it('a status may be of any length, and is found whole', async () => {
    const statuses = [99, 100, 101, 5_000].map((length) => 'é'.repeat(length));
    for (const [index, status] of statuses.entries()) {
      const wallet = await stored(client, 'wallet', { handle: `long${index}` });
      ok(await client.prove(`/wallets/long${index}`, wallet, { status }));
    }
    for (const index of [0, 1, 2]) {
      const status = statuses[index] ?? '';
      expect(await found(sent('meta.status', status))).toEqual([`long${index}`]);
      expect(await found(`${sent('meta.status.$gt', status)}&meta.status.$regex=éé`)).toEqual(
        ['long0', 'long1', 'long2', 'long3'].slice(index + 1),
      );
    }
    expect(await found(sent('meta.status', 'é'.repeat(98)))).toEqual([]);
  });

  it('an absent domain matches no pattern and no comparison, but it is not any domain', async () => {
    const other = await newLedger(server.current.url);
    await stored(other, 'domain', { handle: 'shop' });
    await stored(other, 'wallet', { handle: 'in@shop' });
    await stored(other, 'wallet', { handle: 'out' });
    const ask = async (query: string) =>
      ok(await other.get(`/wallets?${query}`)).body.data.map(({ data }: { data: JsonObject }) => data.handle);
    expect(await ask('meta.domain.$regex=')).toEqual(['in@shop']);
    expect(await ask('meta.domain.$gte=')).toEqual(['in@shop']);
    expect(await ask('meta.domain.$nin=x')).toEqual(['out', 'in@shop']);
    expect(await ask('meta.domain.$ne=shop')).toEqual(['out']);
    expect(await ask('meta.domain.$in=shop&data.handle.$in[0]=in@shop')).toEqual(['in@shop']);
  });

  it('a handle is found as it is now', async () => {
    const action = { endpoint: 'https://example.com' };
    const effect = { signal: 'wallet-created', action, custom: { a: 'renamed' } };
    const made = await stored(client, 'effect', { handle: 'before', ...effect });
    ok(await client.update('/effects/before', made, { handle: 'after', ...effect }));
    const ask = async (query: string) =>
      ok(await client.get(`/effects?${query}`)).body.data.map(({ data }: { data: JsonObject }) => data.handle);
    expect(await ask('data.handle=before')).toEqual([]);
    expect(await ask('data.handle=after&data.custom.a=renamed')).toEqual(['after']);
    expect(await ask('data.handle.$regex=ft.r&data.custom.a=renamed')).toEqual(['after']);
  });

  it('a circle signer has no handle, whatever it is called by', async () => {
    await stored(client, 'circle', { handle: 'circle' });
    await stored(client, 'signer', { handle: 'ada', public: client.key.public, format: 'ed25519-raw' });
    await stored(client, 'circle-signer', { circle: 'circle', signer: 'ada' });
    const count = async (query: string) => (await found(query, '/circles/circle/signers')).length;
    expect(await count('')).toBe(1);
    expect(await count('data.handle.$regex=a')).toBe(0);
    expect(await count(sent('data.handle', 'circle/ada'))).toBe(0);
    expect(await count('data.handle.$ne=ada')).toBe(1);
  });
});

describe('a pattern', () => {
  it.each(['.*', 'a%', '.', '_', '[(', '\\.', '*?+', 'a.*b'])('of any length is taken: %s', async (part) => {
    await stored(client, 'wallet', {
      handle: `p-${Buffer.from(part).toString('hex')}`,
      custom: { p: 'ab'.repeat(2_000) },
    });
    const value = part.repeat(filterLimits.characters / part.length);
    expect((await client.get(`/wallets?${sent('data.custom.p.$regex', value)}`)).status).toBe(200);
  });

  it('takes line breaks for characters, and nothing for what it means elsewhere', async () => {
    const text = 'first\nsecond ^(a|b)+[c]{2}$ \\d';
    await stored(client, 'wallet', { handle: 'lines', custom: { lines: text } });
    for (const pattern of ['first.second', 't.*s', '^(a|b)+[c]{2}$', '\\\\d', '\\^', 'd', '']) {
      expect(await found(sent('data.custom.lines.$regex', pattern)), pattern).toEqual(['lines']);
    }
    for (const pattern of ['^first', 'second$', '\\d\\d', '[a-z]', 'first\\.second', '(?i)FIRST', '***=first']) {
      expect(await found(sent('data.custom.lines.$regex', pattern)), pattern).toEqual([]);
    }
  });

  it('is looked for quickly where a long text nearly matches all along', async () => {
    await stored(client, 'wallet', { handle: 'long', custom: { long: 'a'.repeat(900_000) } });
    for (const pattern of [`${'a'.repeat(1_000)}b`, `${'.a'.repeat(500)}b`, `${'a%'.repeat(500)}b`]) {
      // A list that is not found in time is 408.
      expect(await found(sent('data.custom.long.$regex', pattern))).toEqual([]);
    }
  });
});
