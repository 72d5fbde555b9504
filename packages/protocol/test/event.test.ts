import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EVENT_BOUNDS,
  EventError,
  type EventFault,
  type Json,
  type JsonObject,
  parseSystemKey,
  portable,
  verifyEvent,
} from '../src/index.js';
import { arbitraryJson } from './support/arbitrary-json.js';
import {
  eventOf,
  HANDLE_OF_EVENT,
  keyOf,
  ledgerKey,
  MOMENT_OF_PROOF,
  proofOfLedger,
  recordWith,
  walletCreated,
} from './support/event.js';

const body = eventOf(walletCreated);
const text = JSON.stringify(body);
const other = keyOf(10);

/** Why a body is refused; undefined when it is taken. */
function faultOf(
  value: unknown,
  ...options: Parameters<typeof verifyEvent> extends [unknown, string, (infer O)?] ? [O?] : never
) {
  try {
    verifyEvent(value, ledgerKey.public, ...options);
    return undefined;
  } catch (error) {
    if (!(error instanceof EventError)) throw error;
    expect(error.message.startsWith(`${error.reason}: `)).toBe(true);
    return error.reason;
  }
}

/** Between two bits that are flipped: each byte is met, and each place in a byte. The long run flips them all. */
const STEP = process.env.LONG_TESTS ? 1 : 5;

/** Texts that differ from this one in one bit of its UTF-8 form, decoded as a receiver decodes it. */
function* flipped(original: string): Generator<string> {
  const bytes = Buffer.from(original);
  for (let bit = 0; bit < bytes.length * 8; bit += STEP) {
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    yield bytes.toString();
    bytes[bit >> 3]! ^= 1 << (bit & 7);
  }
}

describe('an event', () => {
  test('is returned from its text and from the parsed value alike', () => {
    const event = { handle: HANDLE_OF_EVENT, signal: 'wallet-created', data: walletCreated, moment: MOMENT_OF_PROOF };
    expect(verifyEvent(text, ledgerKey.public)).toEqual(event);
    expect(verifyEvent(body, ledgerKey.public)).toEqual(event);
  });

  test('has members in any order, and any white space between them', () => {
    const { data, hash, meta } = body;
    expect(faultOf(JSON.stringify({ meta, hash, data }, null, 2))).toBe(undefined);
  });

  test.each<[string, JsonObject]>([
    ['effect-created', { effect: recordWith({ handle: 'e' }) }],
    ['wallet-updated', { wallet: recordWith({ handle: 'e' }), parent: recordWith({ handle: 'e' }) }],
    ['signer-factor-proofs-added', { 'signer-factor': 'f', proofs: [proofOfLedger(body.hash)] }],
    ['report-dropped', { parent: recordWith({ handle: 'r' }) }],
    ['balance-received', { amount: 3, wallet: recordWith({ handle: 'w' }), symbol: {}, intent: {} }],
    ['wallet-limited', { amount: 3, metric: 'm', wallet: recordWith({ handle: 'w' }), symbol: {}, intent: {} }],
  ])('of %s has the members of its signal', (signal, members) => {
    const data = { handle: HANDLE_OF_EVENT, signal, ...members };
    expect(verifyEvent(JSON.stringify(eventOf(data)), ledgerKey.public).data).toEqual(data);
    const [first = ''] = Object.keys(members).filter((name) => name !== 'amount' && name !== 'metric');
    const { [first]: _, ...without } = data as JsonObject;
    expect(faultOf(eventOf(without))).toBe('malformed');
    expect(faultOf(eventOf({ ...data, [first]: 5 }))).toBe('malformed');
  });

  test('has whole records in it, and whole proofs', () => {
    const record = recordWith({ handle: 'shop' }) as JsonObject & { meta: JsonObject };
    const proof = (record.meta.proofs as JsonObject[])[0]!;
    const { data: _, ...dataless } = record;
    const records: Json[] = [
      {},
      { data: { handle: 'never', amount: 1 } },
      dataless,
      { ...record, data: [] },
      { ...record, hash: 5 },
      { ...record, luid: null },
      { ...record, meta: [] },
      { ...record, meta: { ...record.meta, proofs: [] } },
      { ...record, meta: { ...record.meta, proofs: proof } },
      { ...record, meta: { ...record.meta, proofs: [proof, null] } },
    ];
    const signed = (signal: string, members: JsonObject) =>
      faultOf(eventOf({ handle: HANDLE_OF_EVENT, signal, ...members }));
    for (const wrong of records) {
      expect(signed('wallet-created', { wallet: wrong })).toBe('malformed');
      expect(signed('wallet-updated', { wallet: wrong })).toBe('malformed');
      expect(signed('wallet-updated', { wallet: record, parent: wrong })).toBe('malformed');
      expect(signed('wallet-dropped', { parent: wrong })).toBe('malformed');
    }
    expect(signed('wallet-updated', { wallet: record })).toBe(undefined);
    const { result: __, ...unsigned } = proof;
    for (const proofs of [
      [],
      ['x'],
      [unsigned],
      [{ ...proof, digest: 5 }],
      [{ ...proof, public: null }],
      [proof, {}],
    ]) {
      expect(signed('wallet-proofs-added', { wallet: 'shop', proofs })).toBe('malformed');
    }
    expect(signed('wallet-proofs-added', { wallet: 'shop', proofs: [proof] })).toBe(undefined);
  });

  test('may carry proofs of other keys, which count for nothing', () => {
    const junk = { public: other.public, custom: { moment: 5 } };
    expect(verifyEvent({ ...body, meta: { proofs: [junk, ...body.meta.proofs] } }, ledgerKey.public).moment).toBe(
      MOMENT_OF_PROOF,
    );
  });
});

describe('a body that differs from what the ledger sent', () => {
  test('in any one bit is refused', () => {
    const taken = [...flipped(text)].filter((changed) => faultOf(changed) === undefined);
    expect(taken).toEqual([]);
  });

  test('in any one bit is refused, or is another spelling of the very same event, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(arbitraryJson, { maxLength: 3 }), fc.nat(), fc.nat({ max: 7 }), (custom, at, bit) => {
        const sent = JSON.stringify(eventOf({ ...walletCreated, wallet: recordWith({ custom }) }));
        if (faultOf(sent) !== undefined) return;
        const bytes = Buffer.from(sent);
        bytes[at % bytes.length]! ^= 1 << bit;
        const changed = bytes.toString();
        if (faultOf(changed) === undefined) {
          expect(JSON.stringify(verifyEvent(changed, ledgerKey.public))).toBe(
            JSON.stringify(verifyEvent(sent, ledgerKey.public)),
          );
        }
      }),
      { numRuns: process.env.LONG_TESTS ? 3_000 : 100 },
    );
  });

  const [proof = {}] = body.meta.proofs;
  const withProof = (changes: JsonObject) => ({ ...body, meta: { proofs: [{ ...proof, ...changes }] } });
  const { signer: _, ...unnamed } = proof;
  const { custom: __, ...silent } = proof;
  const reproved = (custom: JsonObject) => eventOf(walletCreated, custom);

  test.each<[EventFault, string, unknown]>([
    ['hash', 'data changed', { ...body, data: { ...walletCreated, more: 1 } }],
    ['hash', 'hash of something else', { ...body, hash: eventOf({ ...walletCreated, more: 1 }).hash }],
    ['key', 'signed by another key', eventOf(walletCreated, undefined, other)],
    ['key', 'signed by nobody', { ...body, meta: { proofs: [] } }],
    ['key', 'a proof that is no object', { ...body, meta: { proofs: [ledgerKey.public, null, 5] } }],
    [
      'proof',
      "another's proof under the ledger's key",
      withProof({ ...proofOfLedger(body.hash, undefined, other), public: ledgerKey.public }),
    ],
    ['proof', 'the proof of another event', withProof(eventOf({ ...walletCreated, more: 1 }).meta.proofs[0]!)],
    [
      'proof',
      'a bad proof of the key beside the good one',
      { ...body, meta: { proofs: [...body.meta.proofs, { ...proof, result: 'x' }] } },
    ],
    ['proof', 'another moment', withProof({ custom: { moment: '2030-01-02T03:04:05.007Z' } })],
    ['proof', 'a digest in upper case', withProof({ digest: String(proof.digest).toUpperCase() })],
    ['proof', 'another method', withProof({ method: 'ed25519' })],
    ['proof', 'another origin', withProof({ origin: 'oauth2-token' })],
    ['proof', 'another signer', withProof({ signer: 'alice' })],
    ['proof', 'a member more on the proof', withProof({ issuer: 'alice' })],
    ['proof', 'a member less on the proof', { ...body, meta: { proofs: [unnamed] } }],
    ['proof', 'no custom', { ...body, meta: { proofs: [silent] } }],
    ['proof', 'a proof that says nothing', reproved({})],
    [
      'proof',
      'a proof of a record, with a luid',
      reproved({ luid: '$eff.-3xxxxxxxxxxxxxxxx', moment: MOMENT_OF_PROOF }),
    ],
    ['proof', 'a proof of a delivery, with a status', reproved({ moment: MOMENT_OF_PROOF, status: 'delivered' })],
    ['proof', 'a moment that is no time', reproved({ moment: 'now' })],
    ['proof', 'a moment that is no text', reproved({ moment: 5 })],
    ['malformed', 'hash in upper case', { ...body, hash: body.hash.toUpperCase() }],
    ['malformed', 'hash of another length', { ...body, hash: body.hash.slice(1) }],
    ['malformed', 'hash that is no text', { ...body, hash: 5 }],
    ['malformed', 'a member more', { ...body, luid: '$wlt.-3xxxxxxxxxxxxxxxx' }],
    ['malformed', 'a member less', { data: body.data, hash: body.hash }],
    ['malformed', 'a member more in meta', { ...body, meta: { ...body.meta, moment: MOMENT_OF_PROOF } }],
    ['malformed', 'proofs that are no list', { ...body, meta: { proofs: { ...body.meta.proofs, length: 1 } } }],
    ['malformed', 'meta that is null', { ...body, meta: null }],
    ['malformed', 'data that is a list', { ...body, data: [] }],
    ['malformed', 'a handle that is none', eventOf({ ...walletCreated, handle: 'evt_short' })],
    ['malformed', 'a handle with a line break', eventOf({ ...walletCreated, handle: `${HANDLE_OF_EVENT}\n` })],
    ['malformed', 'a handle that is no text', eventOf({ ...walletCreated, handle: 5 })],
    ['malformed', 'no signal', eventOf({ handle: HANDLE_OF_EVENT, wallet: {} })],
    ['malformed', 'a signal that is none', eventOf({ ...walletCreated, signal: 'wallet' })],
    ['malformed', 'a signal that is no text', eventOf({ ...walletCreated, signal: ['wallet-created'] })],
    ['malformed', 'a signal that is inherited', eventOf({ ...walletCreated, signal: 'constructor-created' })],
    ['malformed', 'null', null],
    ['malformed', 'a list', [body]],
    ['malformed', 'undefined', undefined],
    ['malformed', 'no JSON', text.slice(1)],
    ['malformed', 'a byte order mark', `\ufeff${text}`],
    ['malformed', 'text after the end', `${text}x`],
    ['malformed', 'nothing', ''],
    ['malformed', 'a member named twice', text.replace('"signal"', '"signal":"wallet-dropped","signal"')],
    [
      'malformed',
      'a member named twice, with escapes',
      text.replace('"signal"', '"\\u0073ignal":"wallet-dropped","signal"'),
    ],
    ['malformed', 'data named twice', text.replace('{"data"', '{"data":{},"data"')],
    ['malformed', 'a key that reaches for a prototype', text.replace('"wallet":', '"__proto__":{},"wallet":')],
    [
      'malformed',
      'a number beyond the safe integers',
      eventOf({ ...walletCreated, n: 1 }) && text.replace('"silver"', '9007199254740993'),
    ],
    ['malformed', 'a value that JSON excludes', { ...body, data: { ...walletCreated, n: Number.NaN } }],
    ['malformed', 'a lone surrogate', { ...body, data: { ...walletCreated, n: '\ud800' } }],
  ])('%s: %s', (reason, _, value) => {
    expect(faultOf(value)).toBe(reason);
    if (typeof value === 'object' && !JSON.stringify(value ?? '').includes('\\ud800') && reason !== 'malformed')
      expect(faultOf(JSON.stringify(value))).toBe(reason);
  });

  test('names a member twice only where it does', () => {
    const tricky = eventOf({
      ...walletCreated,
      'a":{"b': '":"\\',
      c: ['{"d":1,"d":2}', ':', '\\"'],
      e: { e: { e: 1 } },
    });
    expect(faultOf(JSON.stringify(tricky))).toBe(undefined);
  });
});

describe('the bounds of a body', () => {
  const padded = (length: number) => text + ' '.repeat(length - text.length);
  const nested = (levels: number): Json =>
    Array(levels)
      .fill(undefined)
      .reduce((inner: Json) => [inner], 1);
  /** `data` is the second level, so the list is the third. */
  const deep = (levels: number) => JSON.stringify(eventOf({ ...walletCreated, n: nested(levels - 2) }));

  test('are at their value and one beyond', () => {
    const { size, depth, proofs } = EVENT_BOUNDS;
    expect(faultOf(padded(size))).toBe(undefined);
    expect(faultOf(padded(size + 1))).toBe('malformed');
    expect(faultOf(deep(depth))).toBe(undefined);
    expect(faultOf(deep(depth + 1))).toBe('malformed');
    const many = (count: number) => ({ ...body, meta: { proofs: Array(count).fill(body.meta.proofs[0]) } });
    expect(faultOf(many(proofs))).toBe(undefined);
    expect(faultOf(many(proofs + 1))).toBe('malformed');
  });

  test('may be narrower', () => {
    const elements = 2;
    const values = JSON.stringify(body).match(/":/g)!.length + elements;
    expect(faultOf(text, { bounds: { ...EVENT_BOUNDS, size: text.length } })).toBe(undefined);
    expect(faultOf(text, { bounds: { ...EVENT_BOUNDS, size: text.length - 1 } })).toBe('malformed');
    expect(faultOf(text, { bounds: { ...EVENT_BOUNDS, values } })).toBe(undefined);
    expect(faultOf(text, { bounds: { ...EVENT_BOUNDS, values: values - 1 } })).toBe('malformed');
  });

  test('hold the largest values that its size lets in', () => {
    const ones = (count: number) => text.replace('"silver"', `[${'1,'.repeat(count - 1)}1]`);
    expect(ones(1).length + 2 * EVENT_BOUNDS.values).toBeGreaterThan(EVENT_BOUNDS.size);
    expect(faultOf(ones(2_000_000))).toBe('hash');
  });

  test('are not needed for a value nested so deeply that no parser gave it', () => {
    expect(faultOf({ ...body, data: { ...walletCreated, n: nested(9_000) } })).toBe('malformed');
  });
});

describe('the key of the ledger', () => {
  test.each([
    ['empty', ''],
    ['31 bytes', keyOf(9).public.slice(4)],
    ['in base64url', keyOf(9).public.replaceAll('+', '-').replaceAll('/', '_').replace('=', '')],
    ['with a line break', `${ledgerKey.public}\n`],
    ['no text', undefined as unknown as string],
  ])('that is none is an error of the caller: %s', (_, key) => {
    expect(() => verifyEvent(text, key)).toThrow(TypeError);
    expect(() => parseSystemKey(key)).toThrow(TypeError);
  });

  test('of small order signs nothing', () => {
    const zero = 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
    const proof = { ...body.meta.proofs[0], public: zero, result: `AQ${'A'.repeat(84)}==` };
    expect(() => verifyEvent({ ...body, meta: { proofs: [proof] } }, zero)).toThrow(EventError);
  });
});

test('the suite given is the one used', () => {
  const calls: string[] = [];
  const suite = {
    ...portable,
    sha256: (of: string) => {
      calls.push('sha256');
      return portable.sha256(of);
    },
    verify: () => {
      calls.push('verify');
      return false;
    },
  };
  expect(faultOf(text, { suite })).toBe('proof');
  expect(calls).toEqual(['sha256', 'sha256', 'verify']);
});
