import { type JsonObject, LedgerError } from '@countersign/protocol';
import { Type } from 'typebox';
import { handleLimits } from '../base/handle.js';
import { SECRET_PATTERN } from '../schemas/secret-reference.js';
import { readRsaPublicKey } from '../untrusted-keys/public-key.js';
import { UnusableKey } from '../untrusted-keys/unusable-key.js';
import {
  common,
  Handle,
  isSecretReference,
  oneOfNames,
  PUBLIC_KEY_PATTERN,
  SecretReference,
  secretNames,
  strictObject,
} from './data.js';
import type { GeneratedData, KindDeclaration } from './declaration.js';
import { withoutNull } from './hashed-forms.js';
import { requestInvalid } from './refusal.js';

/** A signer's factor (interface/signers#factors). */
export const factorLimits = {
  /** Characters of a factor's public key; an RSA key of 16384 bits has 2784. */
  publicKey: 4_096,
} as const;

const CREDENTIALS_REFUSED =
  'Providing clientId or clientSecret is not allowed. Leave the fields blank and ledger will generate the credentials instead.Enable the signer.factor.oauth.allowClientCredentials flag to use be able to provide credentials.';

const { schema, ...others } = common;

/**
 * The schemas whose key or client id identifies the signer. Keys in factors of other schemas are only stored and
 * served.
 */
const KEY_SCHEMAS = ['key-pair', 'oauth-client-credentials'];

const FreeKey = {
  public: Type.Optional(Type.String({ maxLength: factorLimits.publicKey })),
  format: Type.Optional(Type.String({ maxLength: handleLimits.characters })),
};

// Accepts any schema, or none: an absent or unknown schema has its own error wording (interface/signers#factors). A
// branch for otp and totp would add a line to the recorded errors, so their secret and key stand here: the key by a
// condition, so that an incomplete key pair gets the recorded error.
const PlainFactor = strictObject(
  { handle: Handle, signer: Handle, schema, secret: Type.Optional(SecretReference), ...others },
  {
    if: { properties: { schema: oneOfNames(KEY_SCHEMAS) }, required: ['schema'] },
    else: Type.Object(FreeKey),
  },
);

const ClientCredentialsFactor = strictObject({
  handle: Handle,
  signer: Handle,
  schema: oneOfNames(['oauth-client-credentials']),
  clientId: Type.Optional(Type.String({ minLength: 1, maxLength: handleLimits.characters })),
  clientSecret: Type.Optional(Type.String()),
  ...others,
});

const KeyPairFactor = strictObject({
  handle: Handle,
  signer: Handle,
  schema: oneOfNames(['key-pair']),
  format: oneOfNames(['ed25519-raw', 'rsa-der']),
  public: Type.String({ maxLength: factorLimits.publicKey, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  // The reference service shows a null for an absent secret, and clients send it back. It is stored as it was signed.
  secret: Type.Optional(Type.Union([SecretReference, Type.Null()])),
  ...others,
});

const FACTOR_SIGNALS = [
  'signer-factor-created',
  'signer-factor-updated',
  'signer-factor-proofs-added',
  'signer-factor-dropped',
];

/** A further way for a signer to prove who it is (interface/signers#factors). */
export const signerFactor: KindDeclaration = {
  name: 'signer-factor',
  about: 'A further way for a signer to prove who it is.',
  title: 'Signer Factor',
  missing: 'Signerfactor',
  missingChange: 'Signer factor change not found',
  prefix: 'snf',
  path: 'factors',
  data: {
    shape: PlainFactor,
    alternatives: [PlainFactor, ClientCredentialsFactor, KeyPairFactor],
    order: ['handle', 'schema', 'signer', 'format', 'public', 'clientId', 'clientSecret', 'secret', 'custom', 'access'],
    schemas: 'applied',
    hashed: (data) => withoutNull(data, 'secret'),
    generated: generateCredentials,
    check(data, previous, config) {
      if (data.schema === 'key-pair') checkKeyPair(data, previous);
      if (data.schema === 'oauth-client-credentials') checkCredentials(data, previous, config);
    },
    // The schema decides whether the key of a factor signs for its signer.
    essence: ['schema'],
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: FACTOR_SIGNALS,
    subscribable: FACTOR_SIGNALS,
  },
  links: {
    under: { kind: 'signer', member: 'signer' },
    inParentsDomain: true,
    value: (data) => {
      if (data.schema === 'oauth-client-credentials') return clientLink(String(data.clientId ?? ''));
      // Keys that sign records are found by their text. Those of RS256 are found by handle, and may be too long for an
      // index; those of other schemas identify no signer.
      return data.schema === 'key-pair' && data.format === 'ed25519-raw' ? String(data.public) : undefined;
    },
    isKey: true,
    relations: (data) => [
      { kind: 'signer', handle: String(data.signer), missing: `Referenced Signer ${data.signer} not found.` },
    ],
  },
  access: { bumpsRules: 'unless-created' },
  filters: { data: ['public'] },
  secrets: {
    names: (data) => secretNames([data.secret, data.clientSecret]),
    keys: (data) => {
      if (data.schema !== 'key-pair' || data.format !== 'rsa-der') return [];
      return secretNames([data.secret]).map((secret) => ({ secret, subject: `Secret '${secret}' of the key pair` }));
    },
    reveals: 'signer-factor-secret',
  },
  birth: {
    schemas: ['oauth-client-credentials', 'key-pair', 'otp', 'totp'].map((handle) => ({
      handle,
      schema: { type: 'object' },
      description: `Signer factors of the form ${handle}, which the ledger keeps a schema for`,
    })),
  },
};

/** The link value by which the factor of a client is found; the prefix keeps it apart from keys, which are base64. */
export function clientLink(clientId: string): string {
  return `client:${clientId}`;
}

/** Bytes of randomness: 22 and 43 characters of base64url (interface/signers#client-credentials). */
const CLIENT_ID_BYTES = 16;
const CLIENT_SECRET_BYTES = 32;

function generateCredentials(data: JsonObject, random: (bytes: number) => Uint8Array): GeneratedData | undefined {
  const { schema, clientId, clientSecret } = data;
  if (schema !== 'oauth-client-credentials' || (clientId !== undefined && clientSecret !== undefined)) return undefined;
  const text = (bytes: number) => Buffer.from(random(bytes)).toString('base64url');
  return {
    data: {
      ...data,
      clientId: clientId ?? text(CLIENT_ID_BYTES),
      clientSecret: clientSecret ?? '{{ secret.clientSecret }}',
    },
    secrets: clientSecret === undefined ? { clientSecret: text(CLIENT_SECRET_BYTES) } : {},
  };
}

/**
 * Checks beyond the shape: `PlainFactor` lets a key pair omit format and key, and what a key may be depends on its format. One that
 * the record has already is left as it is.
 */
function checkKeyPair(data: JsonObject, previous?: JsonObject): void {
  const absent = ['format', 'public'].find((member) => data[member] === undefined);
  if (absent !== undefined) {
    throw requestInvalid({
      instancePath: '/data',
      keyword: 'required',
      params: { missingProperty: absent },
      message: `must have required property '${absent}'`,
    });
  }
  if (data.format === 'ed25519-raw' && !new RegExp(PUBLIC_KEY_PATTERN).test(String(data.public))) {
    throw patternMissed('/data/public', PUBLIC_KEY_PATTERN);
  }
  const isKept = ['schema', 'format', 'public'].every((member) => previous?.[member] === data[member]);
  if (data.format === 'rsa-der' && !isKept) assertRsaKey(String(data.public));
}

function assertRsaKey(text: string): void {
  try {
    readRsaPublicKey(text);
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    throw new LedgerError('record.invalid', `The key pair cannot be used: ${error.message}`);
  }
}

/** The ledger makes the credentials; clients send them back unchanged (interface/signers#client-credentials). */
function checkCredentials(data: JsonObject, previous?: JsonObject, config?: JsonObject): void {
  if (data.secret !== undefined) {
    throw requestInvalid({
      instancePath: '/data',
      keyword: 'unevaluatedProperties',
      params: { unevaluatedProperty: 'secret' },
      message: 'must NOT have unevaluated properties',
    });
  }
  const provided = ['clientId', 'clientSecret'].filter((member) => data[member] !== undefined);
  if (provided.every((member) => data[member] === previous?.[member])) return;
  if (config?.['signer.factor.oauth.allowClientCredentials'] !== true) {
    throw new LedgerError('record.invalid', CREDENTIALS_REFUSED);
  }
  if (data.clientSecret !== undefined && !isSecretReference(data.clientSecret)) {
    throw patternMissed('/data/clientSecret', SECRET_PATTERN);
  }
}

function patternMissed(instancePath: string, pattern: string): LedgerError {
  return requestInvalid({
    instancePath,
    keyword: 'pattern',
    params: { pattern },
    message: `must match pattern "${pattern}"`,
  });
}
