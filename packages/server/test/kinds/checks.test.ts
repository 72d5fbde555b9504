import { generateKeyPairSync } from 'node:crypto';
import { type JsonObject, LedgerError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { examples, PUBLIC_KEY } from './examples.js';

/** Why the checks beyond shape refuse `data`, with the first of the listed errors. */
function refused(name: KindName, data: JsonObject, previous?: JsonObject, config?: JsonObject) {
  try {
    kindNamed(name).data.check?.(data, previous, config);
    return undefined;
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const errors = (error.custom?.errors ?? []) as JsonObject[];
    return { reason: error.reason, detail: error.detail, error: errors[0] };
  }
}

const RSA_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .publicKey.export({ type: 'spki', format: 'der' })
  .toString('base64');

describe('signer factors', () => {
  const keyPair = { handle: 'f', signer: 's', schema: 'key-pair', format: 'ed25519-raw', public: PUBLIC_KEY };
  const oauth = { handle: 'f', signer: 's', schema: 'oauth-client-credentials' };
  const kept = { ...oauth, clientId: 'id', clientSecret: '{{ secret.clientSecret }}' };
  const allowed = { 'signer.factor.oauth.allowClientCredentials': true };
  const detail =
    'Providing clientId or clientSecret is not allowed. Leave the fields blank and ledger will generate the credentials instead.Enable the signer.factor.oauth.allowClientCredentials flag to use be able to provide credentials.';

  it('with a key pair for RS256 need an RSA key, unless the record has another already', () => {
    const pair = { ...keyPair, format: 'rsa-der', public: 'AAAA' };
    const detail = 'The key pair cannot be used: The public key cannot be read';
    expect(refused('signer-factor', pair)).toEqual({ reason: 'record.invalid', detail, error: undefined });
    expect(refused('signer-factor', pair, { ...pair, custom: {} })).toBeUndefined();
    expect(refused('signer-factor', pair, { ...pair, public: RSA_KEY })).toMatchObject({ detail });
    expect(refused('signer-factor', pair, { ...pair, format: 'ed25519-raw' })).toMatchObject({ detail });
  });

  it('with a key pair need a format and a key of its length', () => {
    expect(refused('signer-factor', keyPair)).toBeUndefined();
    expect(refused('signer-factor', { ...keyPair, format: 'rsa-der', public: RSA_KEY })).toBeUndefined();
    expect(refused('signer-factor', { handle: 'f', signer: 's', schema: 'key-pair' })).toEqual({
      reason: 'record.schema-invalid',
      detail: "Schema validation error: request/body/data must have required property 'format'",
      error: {
        instancePath: '/data',
        schemaPath: '#/properties/data/required',
        keyword: 'required',
        params: { missingProperty: 'format' },
        message: "must have required property 'format'",
        path: '/body/data/format',
        errorCode: 'required.openapi.validation',
      },
    });
    const short = refused('signer-factor', { ...keyPair, public: 'AAAA' });
    expect(short?.detail).toContain('request/body/data/public must match pattern "');
    expect(short?.error).toMatchObject({ path: '/body/data/public', keyword: 'pattern' });
  });

  it('do not bring credentials', () => {
    for (const given of [{ clientId: 'a' }, { clientSecret: 'b' }, { clientId: 'a', clientSecret: 'b' }]) {
      expect(refused('signer-factor', { ...oauth, ...given })).toMatchObject({ reason: 'record.invalid', detail });
    }
    expect(refused('signer-factor', oauth)).toBeUndefined();
    expect(refused('signer-factor', { ...oauth, secret: '{{ secret.a }}' })?.error).toMatchObject({
      path: '/body/data/secret',
      errorCode: 'unevaluatedProperties.openapi.validation',
    });
  });

  it('keep the credentials they have', () => {
    expect(refused('signer-factor', kept, kept)).toBeUndefined();
    expect(refused('signer-factor', { ...kept, clientId: 'other' }, kept)?.detail).toBe(detail);
  });

  it('bring credentials where the ledger allows it, the secret as a reference', () => {
    expect(refused('signer-factor', kept, undefined, allowed)).toBeUndefined();
    expect(refused('signer-factor', { ...kept, clientSecret: 'plain' }, undefined, allowed)?.error).toMatchObject({
      path: '/body/data/clientSecret',
      keyword: 'pattern',
    });
  });
});

describe('URLs', () => {
  const bad = ['', 'bridge', '/v2', 'ftp://a', 'http://[', 'javascript:alert(1)'];
  it.each(bad)('refuses %j', (url) => {
    const effect = { handle: 'e', signal: 'wallet-created', action: { endpoint: url } };
    expect(refused('effect', effect)).toEqual({
      reason: 'record.schema-invalid',
      detail: 'Schema validation error: request/body/data/action/endpoint must match format "uri"',
      error: {
        instancePath: '/data/action/endpoint',
        schemaPath: '#/properties/data/properties/action/properties/endpoint/format',
        keyword: 'format',
        params: { format: 'uri' },
        message: 'must match format "uri"',
        path: '/body/data/action/endpoint',
        errorCode: 'format.openapi.validation',
      },
    });
    expect(refused('bridge', { config: { server: url }, secure: [] })?.error?.path).toBe('/body/data/config/server');
    const oauth = { config: { server: 'http://a' }, secure: [{ schema: 'header' }, { tokenUrl: url }] };
    expect(refused('bridge', oauth)?.error).toMatchObject({
      path: '/body/data/secure/1/tokenUrl',
      schemaPath: '#/properties/data/properties/secure/items/properties/tokenUrl/format',
    });
  });

  it('takes those of the examples', () => {
    expect(refused('effect', examples.effect.full('e'))).toBeUndefined();
    expect(refused('effect', examples.effect.minimal('e'))).toBeUndefined();
    expect(refused('bridge', examples.bridge.full('b'))).toBeUndefined();
  });
});

describe('secrets', () => {
  it('are named once each, in the order of their references', () => {
    expect(kindNamed('bridge').secrets.names?.(examples.bridge.full('b'))).toEqual(['client', 'apiKey']);
    expect(kindNamed('bridge').secrets.names?.(examples.bridge.minimal('b'))).toEqual([]);
    expect(kindNamed('signer-factor').secrets.names?.(examples['signer-factor'].full('f'))).toEqual(['private1']);
    expect(kindNamed('signer-factor').secrets.names?.({ clientSecret: '{{ secret.clientSecret }}' })).toEqual([
      'clientSecret',
    ]);
    expect(kindNamed('signer-factor').secrets.names?.({ secret: '{{secret.a}}', clientSecret: 'x' })).toEqual([]);
  });
});

describe('relations', () => {
  it('are told in the words of the interface', () => {
    expect(kindNamed('anchor').links.relations?.({ wallet: 'ghost' })).toEqual([
      { kind: 'wallet', handle: 'ghost', missing: "Cannot find anchor wallet 'ghost'" },
    ]);
    // A wallet called `undefined` must not satisfy an anchor that names none.
    expect(kindNamed('anchor').links.relations?.({})).toEqual([
      { kind: 'wallet', handle: '', missing: "Cannot find anchor wallet 'undefined'" },
    ]);
    expect(kindNamed('wallet').links.relations?.({})).toEqual([]);
    expect(kindNamed('wallet').links.relations?.({ bridge: 'b' })).toEqual([
      { kind: 'bridge', handle: 'b', missing: 'Referenced Bridge b not found.' },
    ]);
    for (const name of ['signer-factor', 'circle-signer'] as const) {
      expect(kindNamed(name).links.relations?.({ signer: 'ghost' })).toEqual([
        { kind: 'signer', handle: 'ghost', missing: 'Referenced Signer ghost not found.' },
      ]);
    }
    expect(kindNamed('bridge').data.missingSchema?.('x')).toBe('Referenced Schema x not found.');
  });

  it('keep records from being dropped', () => {
    expect(kindNamed('wallet').links.dependants?.[0]?.refusal('w', ['a', 'b'])).toEqual({
      detail: "Cannot drop wallet 'w' with anchors associated with it",
      custom: { anchors: ['a', 'b'] },
    });
    expect(kindNamed('bridge').links.dependants?.[0]?.refusal('used', ['w'])).toEqual({
      detail: 'Bridge used is in use by wallets. Please remove it from the wallets first.',
    });
  });

  it('make a circle signer unique by circle and signer', () => {
    expect(kindNamed('circle-signer').links.key?.({ circle: 'c', signer: 's' })).toBe('c/s');
  });
});
