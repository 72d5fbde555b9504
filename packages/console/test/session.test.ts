import type { Json } from '@countersign/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { shapeOf } from '../src/forms/shape.js';
import { identityName } from '../src/session/identity.js';
import { findPin, holdToPins, PinBroken } from '../src/session/pins.js';
import { foreignServer, readServer } from '../src/session/servers.js';

/** The store of a browser. */
function store(): Storage {
  const texts = new Map<string, string>();
  return {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  } as Storage;
}

beforeEach(() => {
  vi.stubGlobal('localStorage', store());
  vi.stubGlobal('document', { baseURI: 'https://host.example/console/' });
});

describe('the address of a server', () => {
  it.each([
    'https://HOST.example/v2',
    'https://host.example:443/v2/',
    'https://host.example./v2',
    'https://user:word@host.example//v2?x#y',
    ' https://host.example/%76%32 ',
    'https://host.example/x/../v2',
  ])('is one however it is written: %s', (given) => {
    expect(readServer(given)).toBe('https://host.example/v2');
    expect(foreignServer(given)).toBeUndefined();
  });

  it.each(['http://host.example/v2', 'https://host.example:444/v2', 'https://host.example/other/v2'])(
    'is another: %s',
    (given) => expect(foreignServer(given)).toBe(given),
  );

  it.each(['javascript:alert(1)', 'file:///v2', '/v2', '', undefined, 'https://host.example/%ff'])(
    'is none: %s',
    (given) => expect(readServer(given)).toBeUndefined(),
  );
});

describe('a ledger that was seen', () => {
  const acme = { server: 'https://host.example/v2', key: 'K1', luid: '$ldg.1', handle: 'acme' };

  it('is known by each of its names', () => {
    expect(holdToPins(acme).isNew).toBe(true);
    expect(holdToPins({ ...acme, handle: 'renamed' })).toMatchObject({ isNew: false, kept: { handle: 'acme' } });
    expect(findPin(acme.server, 'renamed')?.key).toBe('K1');
  });

  it.each([
    ['under its handle', { luid: '$ldg.2', key: 'K2' }],
    ['under its luid', { handle: 'other', key: 'K2' }],
    ['with the same key', { luid: '$ldg.2' }],
  ])('is not another one, %s', (_, change) => {
    holdToPins(acme);
    expect(() => holdToPins({ ...acme, ...change })).toThrow(PinBroken);
    expect(findPin(acme.server, '$ldg.2')).toBeUndefined();
  });
});

describe('who looks', () => {
  it('is told apart by client credentials, without a secret in the name', () => {
    const client = (clientSecret: string) => ({ kind: 'client', clientId: 'shop', clientSecret }) as const;
    const [right, wrong] = [client('right'), client('wrong')];
    expect(identityName(right)).toBe(identityName(right));
    expect(identityName(right)).not.toBe(identityName(wrong));
    expect(identityName(right)).not.toContain('right');
  });
});

describe('the form of a schema that a stranger wrote', () => {
  it('has names for variants, whatever their values are', () => {
    const variant = (fixed: Json) => ({ type: 'object', required: ['a'], properties: { a: { const: fixed } } });
    const values = [{ toString: 1 }, [[]], null, 'text'] as unknown as Json[];
    expect(shapeOf({ oneOf: values.map(variant) } as unknown as Json, {})).toMatchObject({
      variants: [{ name: '{"toString":1}' }, { name: '[[]]' }, { name: 'null' }, { name: 'text' }],
    });
  });
});
