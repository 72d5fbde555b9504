import { type Json, portable } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryText } from '../../../protocol/test/support/arbitrary-text.js';
import { repeatsMember } from '../../src/auth/repeated-members.js';
import { type BoundRequest, bindsRequest, requestHash } from '../../src/auth/request-hash.js';

const write: BoundRequest = {
  method: 'POST',
  url: 'https://ledger.example/v2/wallets?include[0]=meta.secret',
  headers: { 'x-ledger': 'acme', accept: '*/*', 'x-many': ['one', 'two'] },
  body: { hash: 'ab', data: { handle: 'w1', custom: { amount: 1.5 } } },
};

test('is the hash of the canonical method, url, headers and body', () => {
  const text =
    '{"body":{"data":{"custom":{"amount":1.5},"handle":"w1"},"hash":"ab"},"headers":{"x-ledger":"acme"},' +
    '"method":"POST","url":"https://ledger.example/v2/wallets?include[0]=meta.secret"}';
  expect(requestHash(write, ['x-ledger'])).toBe(`${portable.sha256(text)}:x-ledger`);
});

test('without headers and body, both are null and no names follow', () => {
  const text = '{"body":null,"headers":null,"method":"GET","url":"https://ledger.example/v2"}';
  const read = { method: 'get', url: 'https://ledger.example/v2', headers: {}, body: undefined };
  expect(requestHash(read)).toBe(portable.sha256(text));
  expect(requestHash(read, [])).toBe(portable.sha256(text));
});

test('an empty body counts as none, any other does not', () => {
  const none = requestHash({ ...write, body: undefined });
  for (const body of [null, {}, [], ''] as Json[]) expect(requestHash({ ...write, body })).toBe(none);
  for (const body of [0, false, 'x', [null], { a: null }] as Json[]) {
    expect(requestHash({ ...write, body })).not.toBe(none);
  }
});

test('binds the request it was made for, with none, one or several headers', () => {
  for (const names of [[], ['x-ledger'], ['accept', 'x-ledger'], ['x-many']]) {
    expect(bindsRequest(requestHash(write, names), write)).toBe(true);
  }
});

test.each<[string, Partial<BoundRequest>]>([
  ['method', { method: 'PUT' }],
  ['host', { url: 'https://other.example/v2/wallets?include[0]=meta.secret' }],
  ['path', { url: 'https://ledger.example/v2/symbols?include[0]=meta.secret' }],
  ['query', { url: 'https://ledger.example/v2/wallets?include[0]=meta.labels' }],
  ['query, dropped', { url: 'https://ledger.example/v2/wallets' }],
  ['query, written otherwise', { url: 'https://ledger.example/v2/wallets?include%5B0%5D=meta.secret' }],
  ['header', { headers: { 'x-ledger': 'other' } }],
  ['header, missing', { headers: {} }],
  ['header, inherited', { headers: Object.create({ 'x-ledger': 'acme' }) }],
  ['body', { body: { hash: 'ab', data: { handle: 'w2', custom: { amount: 1.5 } } } }],
  ['body, missing', { body: undefined }],
])('does not bind a request with another %s', (_, change) => {
  expect(bindsRequest(requestHash(write, ['x-ledger']), { ...write, ...change })).toBe(false);
});

test('headers that are not named may differ', () => {
  expect(bindsRequest(requestHash(write, ['x-ledger']), { ...write, headers: { 'x-ledger': 'acme' } })).toBe(true);
});

test('names are lower case and known by the text after the first colon', () => {
  const value = requestHash(write, ['accept', 'x-ledger']);
  expect(value.endsWith(':accept,x-ledger')).toBe(true);
  for (const names of ['accept', 'accept,X-Ledger', 'accept,x-ledger,', 'accept, x-ledger', ':accept,x-ledger']) {
    expect(bindsRequest(value.replace('accept,x-ledger', names), write)).toBe(false);
  }
});

test('a named header that was not sent is refused', () => {
  expect(() => requestHash(write, ['x-other'])).toThrow(expect.objectContaining({ reason: 'auth.unauthorized' }));
  expect(() => requestHash(write, ['__proto__'])).toThrow(expect.objectContaining({ reason: 'auth.unauthorized' }));
});

test('garbage binds nothing and never throws', () => {
  for (const hsh of [':', ',', 'x', `${requestHash(write)}:`, requestHash(write).toUpperCase(), '0'.repeat(64)]) {
    expect(bindsRequest(hsh, write)).toBe(false);
  }
  expect(bindsRequest(requestHash(write), { ...write, body: '\ud800' })).toBe(false);
  fc.assert(fc.property(arbitraryText(), (hsh) => !bindsRequest(hsh, write)));
});

test('repeated members are found at any depth, however they are written', () => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":1}',
    '{"a":{"b":[{"c":1 , "c" :2}]}}',
    '{"a":[{"x":":"},{"y":1,"y":2}]}',
    '{"\\"":1,"\\"":2}',
  ]) {
    expect(repeatsMember(text)).toBe(true);
  }
  for (const text of ['{"a":{"a":{"a":1}},"b":"a"}', '[{"a":1},{"a":1}]', '{"a":"\\",\\"a\\":","{":1,"}":2}']) {
    expect(repeatsMember(text)).toBe(false);
  }
});

test('no value that was written from memory repeats a member', () => {
  fc.assert(fc.property(fc.json({ stringUnit: 'binary' }), (text) => !repeatsMember(text)));
});
