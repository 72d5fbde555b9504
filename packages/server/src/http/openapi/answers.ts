import { HASH_PATTERN, LUID_PATTERN, REASONS } from '@countersign/protocol';
import type { Kind } from '../../kinds/kind.js';
import { OPERATIONS } from '../../operations/operations.js';
import {
  arrayOf,
  object,
  oneOfTexts,
  openObject,
  ref,
  type Schema,
  textSchema,
  toOpenApiSchema,
  wholeNumber,
} from './schemas.js';

const CHANGE_ACTIONS = ['create', 'update', 'drop'];

/** What an erasure says of a record (interface/records#erase). */
const ERASURE = {
  luid: { ...textSchema, pattern: LUID_PATTERN, description: 'Of the record.' },
  change: { ...wholeNumber(1), description: 'Number of the last change that was erased; all before it were too.' },
  reason: textSchema,
};

/** Members of `meta`; those in `MAY_LACK` are optional. */
const META_SCHEMAS = {
  proofs: { ...arrayOf(ref('proof')), description: 'Those of the client, then those of the ledger.' },
  status: textSchema,
  moment: ref('moment'),
  owners: { ...arrayOf(textSchema), description: 'The keys that signed the creation.' },
  labels: arrayOf(textSchema),
  domain: textSchema,
};
const MAY_LACK = ['status', 'labels', 'domain'];

/** What `meta` holds in addition where a kind reveals its secrets. */
const SECRET_META = object(
  {
    secret: {
      type: 'object',
      additionalProperties: textSchema,
      description: 'Values of the secrets the data refers to, only where `include=meta.secret` asks for them.',
    },
  },
  ['secret'],
);

/**
 * Answers shared by all kinds (interface/envelope#record, interface/records#history, interface/lists,
 * interface/errors).
 */
export const ANSWERS: Readonly<Record<string, Schema>> = {
  hash: { ...textSchema, pattern: HASH_PATTERN, description: 'SHA-256 of the canonical JSON of `data`, in hex.' },
  luid: { ...textSchema, pattern: LUID_PATTERN, description: 'Names the record for ever, even after a drop.' },
  moment: { ...textSchema, format: 'date-time', description: 'UTC, with milliseconds.' },
  proof: object(
    {
      method: { ...textSchema, description: '`ed25519-v2`' },
      public: { ...textSchema, description: 'Base64 of the raw public key.' },
      digest: {
        ...textSchema,
        pattern: HASH_PATTERN,
        description: 'SHA-256 of the hash and the canonical `custom`, in hex.',
      },
      result: { ...textSchema, description: 'Base64 of the signature over the bytes of the digest.' },
      custom: openObject,
      origin: {
        ...oneOfTexts(['key-pair', 'self-signed-token', 'oauth2-token']),
        description: 'How the proof came about.',
      },
      signer: { ...textSchema, description: 'Handle of the signer that had the key when the proof was stored.' },
      issuer: textSchema,
    },
    ['custom', 'origin', 'signer', 'issuer'],
  ),
  meta: object(META_SCHEMAS, MAY_LACK),
  'change-meta': changeMeta(CHANGE_ACTIONS),
  'erasable-change-meta': changeMeta([...CHANGE_ACTIONS, 'erase']),
  'erasure-record': object({ hash: ref('hash'), data: object(ERASURE), luid: ref('luid'), meta: ref('meta') }),
  'answer-meta': object({
    proofs: { ...arrayOf(ref('proof')), description: 'Of the ledger; empty where no ledger is resolved.' },
    moment: ref('moment'),
  }),
  page: object({ index: wholeNumber(0), limit: wholeNumber(1) }),
  'counted-page': object({ index: wholeNumber(0), limit: wholeNumber(1), total: wholeNumber(0) }),
  'granted-rule': object({ hash: ref('hash'), data: ref('access-value'), meta: ref('answer-meta') }),
  'granted-rules': describeSignedList(ref('granted-rule')),
  'schema-error': object(
    {
      instancePath: textSchema,
      schemaPath: textSchema,
      keyword: textSchema,
      params: openObject,
      message: textSchema,
      path: { ...textSchema, description: 'Of errors in a request body only.' },
      errorCode: { ...textSchema, description: 'Of errors in a request body only.' },
    },
    ['path', 'errorCode'],
  ),
  reason: {
    ...oneOfTexts(Object.keys(REASONS)),
    description: Object.entries(REASONS)
      .map(([reason, { status, meaning }]) => `- \`${reason}\` (${status}): ${meaning}`)
      .join('\n'),
  },
  error: object({
    hash: ref('hash'),
    data: object(
      {
        reason: ref('reason'),
        detail: textSchema,
        custom: {
          ...openObject,
          properties: { errors: arrayOf({ anyOf: [ref('schema-error'), textSchema] }) },
        },
      },
      ['custom'],
    ),
    meta: ref('answer-meta'),
  }),
  'server-information': object({
    hash: ref('hash'),
    data: object(
      {
        handle: textSchema,
        server: { ...textSchema, format: 'uri' },
        semver: textSchema,
        ledger: { ...textSchema, description: 'Handle of the ledger of the request; absent where it has none.' },
        status: { ...oneOfTexts(['UP', 'DOWN']), description: 'DOWN while the database does not answer.' },
        uptime: { ...wholeNumber(0), description: 'Seconds that the answering process has served.' },
        dependencies: object({ db: oneOfTexts(['CONNECTED', 'ERROR']) }),
        build: textSchema,
      },
      ['ledger'],
    ),
    meta: object({ moment: ref('moment') }),
  }),
};

function changeMeta(actions: readonly string[]): Schema {
  return object(
    {
      ...META_SCHEMAS,
      labels: { type: ['array', 'null'], items: textSchema, description: 'Null where there were none.' },
      change: wholeNumber(1),
      action: oneOfTexts(actions),
    },
    MAY_LACK,
  );
}

/** The answer components that operations define for themselves. */
export function ownAnswers(): Record<string, Schema> {
  return Object.assign({}, ...OPERATIONS.map(({ description }) => description.components?.answers ?? {}));
}

/** The record of a kind as it is answered, one version of it, and the lists of both. */
export function answerComponents(kind: Kind): Record<string, Schema> {
  const {
    name,
    lifecycle: { operations },
  } = kind;
  return {
    [name]: record(kind, 'meta'),
    ...(operations.includes('list') ? { [`${name}-list`]: describeSignedList(ref(name), ref('page')) } : {}),
    ...(operations.includes('changes')
      ? {
          [`${name}-change`]: describeChange(kind),
          [`${name}-changes`]: describeSignedList(ref(`${name}-change`), ref('counted-page')),
        }
      : {}),
  };
}

/** A version; of a kind whose records are erased its data may be what an erasure has left. */
function describeChange(kind: Kind): Schema {
  if (!kind.lifecycle.erasable) return record(kind, 'change-meta');
  return record(kind, 'erasable-change-meta', (data) => ({ anyOf: [data, describeErased(kind)] }));
}

/** Names the members of the record as absent, so that generated types have them without a question. */
function describeErased({ data: { order } }: Kind): Schema {
  const absent = Object.fromEntries([...order, 'parent'].map((member) => [member, false]));
  const { properties, ...others } = object(ERASURE);
  return {
    ...others,
    properties: { ...absent, ...(properties as object) },
    description: 'Where `meta.action` is `erase`: all that is left of the record.',
  };
}

/** Requires every member, since a record that is answered is complete. */
function record(kind: Kind, meta: string, asData = (data: Schema) => data): Schema {
  const { metaShape } = kind.lifecycle;
  const more = [...(metaShape ? [toOpenApiSchema(metaShape)] : []), ...(kind.secrets.reveals ? [SECRET_META] : [])];
  return object({
    hash: kind.data.served ? { ...ref('hash'), description: HASH_ABOUT } : ref('hash'),
    data: asData({
      allOf: [ref(`${kind.name}-data`)],
      type: 'object',
      properties: { parent: ref('hash'), ...toOpenApiSchema(kind.data.added ?? {}) },
    }),
    luid: ref('luid'),
    meta: more.length > 0 ? { allOf: [ref(meta), ...more] } : ref(meta),
  });
}

const HASH_ABOUT =
  'Of `data`, or of `data` without `domain`: the ledger shows it whether or not the client has signed it. It is `meta.domain`.';

/** A list with its hash and the proof of the ledger (interface/lists); `page` is absent for one served whole. */
export function describeSignedList(items: Schema, page?: Schema): Schema {
  return object({ hash: ref('hash'), meta: ref('answer-meta'), data: arrayOf(items), ...(page ? { page } : {}) });
}
