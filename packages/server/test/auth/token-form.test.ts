import type { JsonObject } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryText } from '../../../protocol/test/support/arbitrary-text.js';
import { native } from '../../src/auth/native-suite.js';
import { verifyToken } from '../../src/auth/token.js';
import { tokenLimits } from '../../src/auth/token-limits.js';
import { jsonLimits } from '../../src/base/json-limits.js';
import { MemoryReplays } from './memory-replays.js';
import { claims, encode, Keys, NOW, publicKey, REFUSED, request, seed, selfSigned, verify } from './tokens.js';

const good = claims();

/** A valid token of exactly `length` characters. Base64 cannot have every length: the header evens out the rest. */
function ofLength(length: number): string {
  for (const typ of ['', 'x', 'xx']) {
    const token = (pad: number) => selfSigned(claims({ pad: 'x'.repeat(pad) }), { alg: 'EdDSA', kid: publicKey, typ });
    const rough = Math.floor(((length - token(0).length) * 3) / 4);
    for (let pad = rough - 2; pad <= rough + 2; pad++) if (token(pad).length === length) return token(pad);
  }
  throw new Error(`No token has ${length} characters`);
}

test('tokens of 8192 bytes are read, of 8193 not', async () => {
  expect(tokenLimits.bytes).toBe(8192);
  await verify(ofLength(8192));
  await expect(verify(ofLength(8193))).rejects.toMatchObject(REFUSED);
});

test.each([
  '',
  'Bearer',
  'Bearer ',
  `Basic ${selfSigned()}`,
  selfSigned(),
  `Bearer${selfSigned()}`,
  `Bearer\t${selfSigned()}`,
  `Bearer ${selfSigned()} `,
  `Bearer ${selfSigned()},Bearer ${selfSigned()}`,
  `Token Bearer ${selfSigned()}`,
])('not a bearer token: %s', async (header) => {
  const replays = new MemoryReplays(() => NOW * 1000, { ledger: 1 });
  const answer = verifyToken(header, request, new Keys(), () => NOW * 1000, replays);
  await expect(answer).rejects.toMatchObject(REFUSED);
});

test('the scheme is read in any case', async () => {
  const replays = new MemoryReplays(() => NOW * 1000, { ledger: 1 });
  const answer = await verifyToken(`bEARER  ${selfSigned()}`, request, new Keys(), () => NOW * 1000, replays);
  expect(answer.key).toBe(publicKey);
});

test('a header with crit', async () => {
  for (const crit of [[], ['exp'], ['b64'], null, '']) {
    const header = { alg: 'EdDSA', kid: publicKey, crit, b64: false };
    await expect(verify(selfSigned(good, header))).rejects.toMatchObject(REFUSED);
  }
});

test('members named twice', async () => {
  const payload = JSON.stringify(good);
  const header = JSON.stringify({ alg: 'EdDSA', kid: publicKey });
  await verify(selfSigned(payload, header));
  for (const [claimsText, headerText] of [
    [payload, `{"alg":"none",${header.slice(1)}`],
    [payload, `{"kid":"admin",${header.slice(1)}`],
    [payload, `{"\\u0061lg":"EdDSA",${header.slice(1)}`],
    [`{"sub":"root",${payload.slice(1)}`, header],
    [`{"x":{"y":1,"y":2},${payload.slice(1)}`, header],
  ] as const) {
    await expect(verify(selfSigned(claimsText, headerText))).rejects.toMatchObject(REFUSED);
  }
});

test('keys that reach for a prototype', async () => {
  const payload = JSON.stringify(good);
  for (const key of ['"__proto__":{"sub":"root"}', '"constructor":{"prototype":{}}', '"x":[{"__proto__":1}]']) {
    await expect(verify(selfSigned(`{${key},${payload.slice(1)}`))).rejects.toMatchObject(REFUSED);
  }
  const header = `{"__proto__":{"alg":"EdDSA","kid":"${publicKey}"}}`;
  await expect(verify(selfSigned(payload, header))).rejects.toMatchObject(REFUSED);
  expect(({} as JsonObject).sub).toBeUndefined();
});

test('parts that are no JSON object in strict base64url', async () => {
  const header = encode({ alg: 'EdDSA', kid: publicKey });
  for (const payload of ['', '[]', 'null', '"x"', '{', '\ufeff{}', '{"x":"\\u0000"}', `{"x":${'['.repeat(3000)}`]) {
    await expect(verify(selfSigned(payload))).rejects.toMatchObject(REFUSED);
    await expect(verify(selfSigned(good, payload))).rejects.toMatchObject(REFUSED);
  }
  const deep = `{"x":${'['.repeat(jsonLimits.depth)}${']'.repeat(jsonLimits.depth)},${JSON.stringify(good).slice(1)}`;
  await expect(verify(selfSigned(deep))).rejects.toMatchObject(REFUSED);
  await verify(selfSigned(deep.replace('[[', '[').replace(']]', ']')));
  const [, payload, signature] = selfSigned().split('.') as [string, string, string];
  for (const token of [
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}.${signature}=`,
    `${header}.${payload}.${signature}\n`,
    `${header}.${payload}.${signature}.`,
    `${header}.${payload}.${signature}.x.y`,
    `${header}.${payload}`,
    `${header}`,
    '..',
    `.${payload}.${signature}`,
  ]) {
    await expect(verify(token)).rejects.toMatchObject(REFUSED);
  }
});

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Other texts that a lenient reader of base64url takes for the same bytes. */
function respelled(part: string): string[] {
  const bytes = Buffer.from(part, 'base64url');
  const others = [...LETTERS].map((letter) => part.slice(0, -1) + letter);
  const spellings = [
    ...others,
    bytes.toString('base64'),
    `${part}=`,
    `${part}A`,
    `${part} `,
    `${part.slice(0, 2)}\n${part.slice(2)}`,
    `${part.slice(0, 2)}=${part.slice(2)}`,
  ];
  return spellings.filter((text) => text !== part && Buffer.from(text, 'base64url').equals(bytes));
}

test('each part has one spelling, used or not: the same bytes in other letters are no token', async () => {
  // Of each part's last letter some bits say nothing: four of them, and two.
  for (const pad of ['', 'x', 'xx']) {
    const payload = claims({ jti: `spelled-${pad}`, exp: NOW + 60, pad });
    const header = { alg: 'EdDSA', kid: publicKey, typ: pad };
    const token = selfSigned(payload, header);
    const replays = new MemoryReplays(() => NOW * 1000, { ledger: 1 });
    const parts = token.split('.');
    const spellings = parts.flatMap((part, at) => respelled(part).map((other) => parts.with(at, other)));
    expect(spellings.length).toBeGreaterThan(15);
    const refused = async () => {
      for (const spelling of spellings) {
        await expect(verify(spelling.join('.'), { replays }), spelling.join('.')).rejects.toMatchObject(REFUSED);
      }
    };
    await refused();
    // None of them used it up.
    await verify(token, { replays });
    await refused();
    await expect(verify(token, { replays })).rejects.toMatchObject(REFUSED);
  }
});

test('header and claims have one spelling, also where the signature is over another', async () => {
  for (const pad of ['', 'x', 'xx']) {
    const [header, payload] = [encode({ alg: 'EdDSA', kid: publicKey, typ: pad }), encode(claims({ pad }))];
    const spellings = [
      ...respelled(header).map((other) => `${other}.${payload}`),
      ...respelled(payload).map((other) => `${header}.${other}`),
    ];
    for (const spelling of spellings) {
      const signature = Buffer.from(native.sign(Buffer.from(spelling), seed)).toString('base64url');
      await expect(verify(`${spelling}.${signature}`), spelling).rejects.toMatchObject(REFUSED);
    }
  }
});

test('text that is not UTF-8', async () => {
  const payload = Buffer.from(JSON.stringify(claims({ sub: 'signer:?' })));
  await verify(selfSigned(payload));
  payload[payload.indexOf('?')] = 0xff;
  await expect(verify(selfSigned(payload))).rejects.toMatchObject(REFUSED);
});

test('garbage of any kind is refused the same way', async () => {
  const part = fc.oneof(arbitraryText(), fc.json().map(encode), fc.base64String());
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
      await expect(verify(parts.join('.'))).rejects.toMatchObject(REFUSED);
    }),
  );
});
