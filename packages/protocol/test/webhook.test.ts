import { createPublicKey, verify as verifySignature } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EVENT_BOUNDS,
  encodeBase64,
  portable,
  signProof,
  signWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
} from '../src/index.js';
import { eventOf, HANDLE_OF_EVENT, keyOf, ledgerKey, walletCreated } from './support/event.js';

const body = JSON.stringify(eventOf(walletCreated));
const timestamp = 1_893_553_445;
const now = timestamp * 1000;
const { secret } = ledgerKey;
const headers = signWebhook({ id: HANDLE_OF_EVENT, timestamp, body, secret });
const other = keyOf(10);

/** Why a delivery is refused; undefined when it is taken. */
function faultOf(
  sent: Parameters<typeof verifyWebhook>[0],
  over: string | Uint8Array = body,
  options: Partial<Parameters<typeof verifyWebhook>[3]> = {},
) {
  try {
    verifyWebhook(sent, over, ledgerKey.public, { now, ...options });
    return undefined;
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    expect(error.message.startsWith(`${error.reason}: `)).toBe(true);
    return error.reason;
  }
}

/**
 * Verifies as the specification words it, with nothing of ours: the signed content is id, timestamp and payload joined
 * by full stops; a signature is prefixed with its version and a comma; several are separated by spaces; `v1a` is Ed25519.
 */
function verifyBySpecification(sent: WebhookHeaders, payload: string, publicKey: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = sent;
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = Buffer.from(`${id}.${time}.${payload}`);
  return signatures.split(' ').some((one) => {
    const [version, signature = ''] = one.split(',');
    return version === 'v1a' && verifySignature(null, content, key, Buffer.from(signature, 'base64'));
  });
}

describe('a webhook', () => {
  test('has the three headers of the Standard Webhooks specification', () => {
    expect(headers).toEqual({
      'webhook-id': HANDLE_OF_EVENT,
      'webhook-timestamp': '1893553445',
      'webhook-signature': expect.stringMatching(/^v1a,[A-Za-z0-9+/]{86}==$/),
    });
  });

  test('verifies here, and by the words of the specification with another library', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 10 ** 9, max: 10 ** 10 - 1 }), (text, time) => {
        const signed = signWebhook({ id: HANDLE_OF_EVENT, timestamp: time, body: text, secret });
        expect(verifyBySpecification(signed, text, ledgerKey.public)).toBe(true);
        expect(verifyBySpecification(signed, `${text} `, ledgerKey.public)).toBe(false);
        const attempt = verifyWebhook({ ...signed }, text, ledgerKey.public, { now: time * 1000 });
        expect(attempt).toEqual({ id: HANDLE_OF_EVENT, timestamp: time });
      }),
      { numRuns: 20 },
    );
  });

  test('is verified from the bytes as from the text, and from headers of either form', () => {
    expect(faultOf({ ...headers }, Buffer.from(body))).toBe(undefined);
    expect(faultOf(new Headers({ ...headers }))).toBe(undefined);
    expect(faultOf({ ...headers, get: 'a header of this name' })).toBe(undefined);
  });

  test('may carry signatures of other versions and keys beside the one that counts', () => {
    const theirs = signWebhook({ id: HANDLE_OF_EVENT, timestamp, body, secret: other.secret })['webhook-signature'];
    const [own, hmac] = [headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='];
    expect(faultOf({ ...headers, 'webhook-signature': `${hmac} ${theirs} ${own}` })).toBe(undefined);
    expect(faultOf({ ...headers, 'webhook-signature': `${hmac} ${theirs}` })).toBe('signature');
    expect(faultOf({ ...headers, 'webhook-signature': `${hmac} ${hmac} ${hmac} ${own}` })).toBe(undefined);
    expect(faultOf({ ...headers, 'webhook-signature': `${hmac} ${hmac} ${hmac} ${hmac} ${own}` })).toBe('malformed');
  });

  test('with any one bit flipped is refused', () => {
    fc.assert(
      fc.property(fc.constantFrom('body', ...Object.keys(headers)), fc.nat(), fc.nat({ max: 7 }), (part, at, bit) => {
        const bytes = Buffer.from(part === 'body' ? body : headers[part as keyof WebhookHeaders]);
        bytes[at % bytes.length]! ^= 1 << bit;
        if (part === 'body') expect(faultOf({ ...headers }, bytes)).toBe('signature');
        else expect(faultOf({ ...headers, [part]: bytes.toString('latin1') })).toBeDefined();
      }),
      { numRuns: process.env.LONG_TESTS ? 10_000 : 120 },
    );
  });

  test.each<[string, string, Record<string, string | string[] | undefined>]>([
    ['malformed', 'no id', { 'webhook-id': undefined }],
    ['malformed', 'an id that is no handle of an event', { 'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' }],
    ['malformed', 'two ids', { 'webhook-id': [HANDLE_OF_EVENT, HANDLE_OF_EVENT] }],
    ['malformed', 'no timestamp', { 'webhook-timestamp': undefined }],
    ['malformed', 'a timestamp with a sign', { 'webhook-timestamp': '+1893553445' }],
    ['malformed', 'a timestamp with a fraction', { 'webhook-timestamp': '1893553445.0' }],
    ['malformed', 'a timestamp in milliseconds', { 'webhook-timestamp': '1893553445000' }],
    ['malformed', 'a timestamp with a zero before it', { 'webhook-timestamp': '01893553445' }],
    ['malformed', 'a timestamp that is none', { 'webhook-timestamp': 'NaN' }],
    ['malformed', 'no signature', { 'webhook-signature': undefined }],
    ['signature', 'an empty signature', { 'webhook-signature': '' }],
    ['signature', 'another version', { 'webhook-signature': headers['webhook-signature'].replace('v1a', 'v1') }],
    ['signature', 'a signature in base64url', { 'webhook-signature': headers['webhook-signature'].replace('==', '') }],
    ['signature', 'the id of another event', { 'webhook-id': HANDLE_OF_EVENT.replace(/.$/, 'x') }],
    ['signature', 'the time of another attempt', { 'webhook-timestamp': String(timestamp + 1) }],
    [
      'signature',
      'a proof as signature',
      { 'webhook-signature': `v1a,${eventOf(walletCreated).meta.proofs[0]!.result}` },
    ],
  ])('%s: %s', (reason, _, changes) => {
    expect(faultOf({ ...headers, ...changes })).toBe(reason);
  });

  test('of another key is refused', () => {
    expect(faultOf({ ...signWebhook({ id: HANDLE_OF_EVENT, timestamp, body, secret: other.secret }) })).toBe(
      'signature',
    );
  });

  test('may be 300 seconds old or early, or as much as the receiver says', () => {
    for (const sign of [-1, 1]) {
      expect(faultOf({ ...headers }, body, { now: now + sign * 300_000 })).toBe(undefined);
      expect(faultOf({ ...headers }, body, { now: now + sign * 300_001 })).toBe('time');
      expect(faultOf({ ...headers }, body, { now: now + sign * 5_000, tolerance: 5 })).toBe(undefined);
      expect(faultOf({ ...headers }, body, { now: now + sign * 5_001, tolerance: 5 })).toBe('time');
    }
    expect(faultOf({ ...headers }, body, { now: Number.NaN })).toBe('time');
    expect(faultOf({ ...headers }, body, { tolerance: Number.NaN })).toBe('time');
  });

  test('is as large as an event at most', () => {
    const largest = 'x'.repeat(EVENT_BOUNDS.size);
    const signed = signWebhook({ id: HANDLE_OF_EVENT, timestamp, body: largest, secret });
    expect(faultOf({ ...signed }, largest)).toBe(undefined);
    expect(faultOf({ ...signed }, `${largest}x`)).toBe('malformed');
  });

  test('is signed for the handle of an event and whole seconds only', () => {
    const signed = (changes: object) => () => signWebhook({ id: HANDLE_OF_EVENT, timestamp, body, secret, ...changes });
    for (const id of ['', 'evt_short', `${HANDLE_OF_EVENT}.1`, `${HANDLE_OF_EVENT}\n`, 'msg_-3DJukm0_cCfFjorN']) {
      expect(signed({ id })).toThrow(TypeError);
    }
    for (const time of [999_999_999, 10_000_000_000, timestamp + 0.5, -timestamp, Number.NaN, 1e21]) {
      expect(signed({ timestamp: time })).toThrow(TypeError);
    }
    expect(signed({ timestamp: 1_000_000_000 })).not.toThrow();
    expect(signed({ timestamp: 9_999_999_999 })).not.toThrow();
  });
});

describe('the signature of a webhook is that of no other message of the ledger', () => {
  const id = fc.stringMatching(/^evt_[A-Za-z0-9_-]{17}$/);
  const time = fc.integer({ min: 10 ** 9, max: 10 ** 10 - 1 });

  /** What `signWebhook` gives the suite to sign. */
  function messageOf(input: { id: string; timestamp: number; body: string }): Buffer {
    let message = Buffer.alloc(0);
    const sign = (bytes: Uint8Array) => {
      message = Buffer.from(bytes);
      return new Uint8Array(64);
    };
    signWebhook({ ...input, secret }, { ...portable, sign });
    return message;
  }

  test('it is over more than the 32 bytes of a digest, and over more dots than a token has', () => {
    fc.assert(
      fc.property(id, time, fc.string({ maxLength: 3 }), (event, at, text) => {
        const message = messageOf({ id: event, timestamp: at, body: text });
        expect(message.length).toBeGreaterThan(32);
        expect(message.toString().split('.').length).toBeGreaterThan(2);
      }),
    );
    expect(messageOf({ id: HANDLE_OF_EVENT, timestamp, body: '' }).length).toBe(33);
  });

  test('it begins as the header of no token does', () => {
    fc.assert(
      fc.property(id, (event) => {
        const header = Buffer.from(event, 'base64url');
        expect(header[0]).toBe(0x7a);
        expect(() => JSON.parse(header.toString())).toThrow(SyntaxError);
      }),
    );
    // RFC 8259 §2: an object begins with a brace, white space before it.
    for (const start of ['{', ' ', '\t', '\n', '\r']) expect(start.charCodeAt(0)).not.toBe(0x7a);
  });

  test('that of a proof, or of a token, is taken for that of no webhook', () => {
    const { data, hash } = eventOf(walletCreated);
    const { result, digest } = signProof({ hash, custom: { moment: 'x' }, ...ledgerKey });
    const digestBytes = Buffer.from(digest, 'hex');
    expect(faultOf({ ...headers, 'webhook-signature': `v1a,${result}` }, digestBytes)).toBe('signature');
    const claims = Buffer.from(JSON.stringify(data)).toString('base64url');
    const token = `${Buffer.from('{"alg":"EdDSA"}').toString('base64url')}.${claims}`;
    const signature = encodeBase64(portable.sign(Buffer.from(token), secret));
    const [head = '', rest = ''] = token.split('.');
    for (const text of [token, rest]) {
      expect(faultOf({ ...headers, 'webhook-signature': `v1a,${signature}` }, text)).toBe('signature');
      const posed = { 'webhook-id': head, 'webhook-timestamp': rest, 'webhook-signature': `v1a,${signature}` };
      expect(faultOf(posed, text)).toBe('malformed');
    }
  });
});
