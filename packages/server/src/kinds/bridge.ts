import { isObject, type JsonObject } from '@countersign/protocol';
import { type TProperties, Type } from 'typebox';
import { handleLimits } from '../base/handle.js';
import {
  common,
  dataLimits,
  Free,
  Handle,
  oneOfNames,
  SecretReference,
  secretNames,
  strictObject,
  unionOf,
} from './data.js';
import type { KindDeclaration } from './declaration.js';
import { requireHttpUrl } from './refusal.js';

/** A bridge (interface/bridges). */
export const bridgeLimits = {
  /** Security rules of a bridge. */
  secure: 32,
  /** Traits of a bridge. */
  traits: 32,
} as const;

const Url = Type.String({ maxLength: dataLimits.url });
const groupBy = Type.Optional(oneOfNames(['address', 'wallet']));
const BridgeConfig = strictObject({
  server: Url,
  'debits.claims.groupBy': groupBy,
  'credits.claims.groupBy': groupBy,
  'token.forward': Type.Optional(
    Type.Boolean({ description: 'Whether it is sent the tokens of clients, and can act as they may.' }),
  ),
});

// Security rules report an unknown member as `additional`, unlike data itself (interface/bridges#security-rules).
const rule = (members: TProperties) => Type.Object(members, { additionalProperties: false });

const SecurityRuleSchema = unionOf([
  rule({
    schema: oneOfNames(['oauth2']),
    clientId: Type.String({ minLength: 1 }),
    clientSecret: SecretReference,
    tokenUrl: Url,
    scope: Type.Optional(Type.String()),
  }),
  rule({
    schema: oneOfNames(['header']),
    // The characters HTTP allows in a header name; others would fail every later call.
    key: Type.String({ maxLength: handleLimits.characters, pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" }),
    value: SecretReference,
  }),
  rule({ schema: Type.String(), public: Type.String(), secret: SecretReference }),
]);

const BRIDGE_METHODS = ['debits', 'credits', 'statuses', 'anchors', 'domains', 'effects', 'ping'] as const;

/** What a bridge may be called for (interface/bridges#traits). */
export type BridgeMethod = (typeof BRIDGE_METHODS)[number];

const Method = oneOfNames(BRIDGE_METHODS);
const Trait = unionOf([Method, strictObject({ method: Method, filter: Type.Optional(Free) })]);

/** The schema `rest`, which every ledger is born with for bridges. */
const REST_SCHEMA: JsonObject = {
  type: 'object',
  required: ['config'],
  properties: {
    config: { type: 'object', required: ['server'], properties: { server: { type: 'string' } } },
    custom: { type: 'object' },
    secure: { type: 'array' },
  },
};

/** An outside service that keeps the books of wallets, or receives events (interface/bridges). */
export const bridge: KindDeclaration = {
  name: 'bridge',
  about: 'A service outside that keeps the books of wallets, keeps anchors, or takes events.',
  title: 'Bridge',
  missing: 'Bridge',
  prefix: 'brg',
  path: 'bridges',
  data: {
    shape: strictObject({
      handle: Handle,
      config: BridgeConfig,
      secure: Type.Array(SecurityRuleSchema, { maxItems: bridgeLimits.secure }),
      traits: Type.Optional(Type.Array(Trait, { maxItems: bridgeLimits.traits })),
      ...common,
    }),
    parts: { 'security-rule': SecurityRuleSchema, 'bridge-trait': Trait },
    order: ['handle', 'config', 'secure', 'traits', 'schema', 'custom', 'access'],
    schemas: 'applied',
    missingSchema: (handle) => `Referenced Schema ${handle} not found.`,
    check(data) {
      if (isObject(data.config)) requireHttpUrl('/data/config/server', data.config.server);
      for (const [index, { tokenUrl }] of rules(data).entries()) {
        requireHttpUrl(`/data/secure/${index}/tokenUrl`, tokenUrl);
      }
    },
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: ['bridge-created', 'bridge-updated', 'bridge-proofs-added', 'bridge-dropped'],
    // Entries are what bridges report of themselves.
    subscribable: [
      'bridge-created',
      'bridge-entry-created',
      'bridge-entry-proofs-added',
      'bridge-entry-updated',
      'bridge-proofs-added',
      'bridge-updated',
    ],
    deliveries: 'bridge',
  },
  links: {
    dependants: [
      {
        kind: 'wallet',
        member: 'bridge',
        refusal: (handle) => ({
          detail: `Bridge ${handle} is in use by wallets. Please remove it from the wallets first.`,
        }),
      },
    ],
    users: [
      {
        part: 'effects',
        refusal: (handle) => `Bridge ${handle} is in use by effects. Please remove it from the effects first.`,
      },
      {
        part: 'policies',
        refusal: (handle) => `Bridge ${handle} is in use by policies. Please remove it from the policies first.`,
      },
    ],
    holds: {
      by: 'bridge',
      refusal: (handle) => ({
        detail: `Bridge ${handle} is in use by intents. Please wait until the intents have ended.`,
      }),
    },
    renamable: false,
  },
  secrets: {
    names: (data) =>
      secretNames(rules(data).flatMap(({ clientSecret, value, secret }) => [clientSecret, value, secret])),
    keys: (data) =>
      rules(data).flatMap((rule, index) => {
        if (rule.schema !== 'mtls' || typeof rule.public !== 'string') return [];
        const { public: certificates } = rule;
        const subject = `Security rule #${index + 1}`;
        return secretNames([rule.secret]).map((secret) => ({ secret, subject, certificates }));
      }),
  },
  birth: {
    schemas: [
      {
        handle: 'rest',
        schema: REST_SCHEMA,
        description: 'Bridges reached over HTTP, which the ledger keeps a schema for',
      },
    ],
  },
};

function rules(data: JsonObject): JsonObject[] {
  return Array.isArray(data.secure) ? data.secure.filter(isObject) : [];
}
