import { HASH_PATTERN, LUID_PATTERN, REASONS } from '@countersign/protocol';
import { kinds } from '../../kinds/registry.js';
import { limits } from '../../limits.js';
import { refusalComponents } from './reasons.js';
import { checkComponent, kindComponents, ref, type Schema, sharedComponents } from './schemas.js';

/**
 * Everything the operations refer to.
 *
 * @param hasDefault whether requests may leave the ledger unnamed (contract 01 §13)
 */
export function components(hasDefault: boolean): object {
  return {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description:
          'Self-signed with the Ed25519 key of the caller (EdDSA), or of a provider that the ledger trusts (RS256).',
      },
      client: { type: 'http', scheme: 'basic', description: 'Client id and secret, for the token endpoint.' },
    },
    parameters: parameters(hasDefault),
    responses: refusalComponents(),
    schemas: {
      ...SERVED,
      ...sharedComponents(),
      check: checkComponent(),
      ...Object.assign({}, ...kinds.map(kindComponents)),
    },
  };
}

const text: Schema = { type: 'string' };
const count = (minimum: number): Schema => ({ type: 'integer', minimum });

function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

/** What the server answers, whatever the kind (contract 01 §3, §9, §10, §12). */
const SERVED: Readonly<Record<string, Schema>> = {
  hash: { ...text, pattern: HASH_PATTERN, description: 'SHA-256 of the canonical JSON of `data`, in hex.' },
  luid: { ...text, pattern: LUID_PATTERN, description: 'What names the record for ever, also after a drop.' },
  moment: { ...text, format: 'date-time', description: 'UTC, with milliseconds.' },
  proof: object(
    {
      method: { ...text, description: '`ed25519-v2`' },
      public: { ...text, description: 'Base64 of the raw public key.' },
      digest: {
        ...text,
        pattern: HASH_PATTERN,
        description: 'SHA-256 of the hash and the canonical `custom`, in hex.',
      },
      result: { ...text, description: 'Base64 of the signature over the bytes of the digest.' },
      custom: { type: 'object' },
      origin: { enum: ['key-pair', 'self-signed-token', 'oauth2-token'], description: 'How the proof came about.' },
      signer: { ...text, description: 'Handle of the signer that had the key when the proof was stored.' },
      issuer: text,
    },
    ['custom', 'origin', 'signer', 'issuer'],
  ),
  meta: object(
    {
      proofs: { type: 'array', items: ref('proof'), description: 'Those of the client, then those of the ledger.' },
      status: text,
      moment: ref('moment'),
      owners: { type: 'array', items: text, description: 'The keys that signed the creation.' },
      labels: { type: ['array', 'null'], items: text, description: 'Null only in changes without labels.' },
      domain: text,
      secret: {
        type: 'object',
        additionalProperties: text,
        description: 'Values of the secrets the data refers to, only where `include=meta.secret` asks for them.',
      },
    },
    ['status', 'labels', 'domain', 'secret'],
  ),
  record: object({ hash: ref('hash'), data: { type: 'object' }, luid: ref('luid'), meta: ref('meta') }),
  change: object({
    hash: ref('hash'),
    luid: ref('luid'),
    meta: { allOf: [ref('meta')], ...object({ change: count(1), action: { enum: ['create', 'update', 'drop'] } }) },
    data: { type: 'object', description: 'As it was stored by this change, like everything else here.' },
  }),
  'answer-meta': object({
    proofs: { type: 'array', items: ref('proof'), description: 'Of the ledger; empty where no ledger is resolved.' },
    moment: ref('moment'),
  }),
  page: object({ index: count(0), limit: count(1), total: count(0) }, ['total']),
  list: object({ hash: ref('hash'), meta: ref('answer-meta'), data: { type: 'array' } }),
  'granted-rule': object({ hash: ref('hash'), data: { type: 'object' }, meta: ref('answer-meta') }),
  'schema-error': object(
    {
      instancePath: text,
      schemaPath: text,
      keyword: text,
      params: { type: 'object' },
      message: text,
      path: { ...text, description: 'Of errors in a request body only.' },
      errorCode: { ...text, description: 'Of errors in a request body only.' },
    },
    ['path', 'errorCode'],
  ),
  reason: {
    enum: Object.keys(REASONS),
    description: Object.entries(REASONS)
      .map(([reason, { status, meaning }]) => `- \`${reason}\` (${status}): ${meaning}`)
      .join('\n'),
  },
  error: object({
    hash: ref('hash'),
    data: object(
      {
        reason: ref('reason'),
        detail: text,
        custom: {
          type: 'object',
          properties: { errors: { type: 'array', items: { anyOf: [ref('schema-error'), text] } } },
        },
      },
      ['custom'],
    ),
    meta: ref('answer-meta'),
  }),
  'server-information': object({
    hash: ref('hash'),
    data: object({ handle: text, server: { ...text, format: 'uri' }, semver: text, status: text, build: text }),
    meta: object({ moment: ref('moment') }),
  }),
};

function parameters(hasDefault: boolean): Record<string, object> {
  const page = (name: string, schema: Schema, description: string) => ({ name, in: 'query', schema, description });
  return {
    ledger: {
      name: 'x-ledger',
      in: 'header',
      required: !hasDefault,
      schema: text,
      description: 'Handle or luid of the ledger.',
    },
    index: page('page.index', { ...count(0), default: 0 }, 'Number of the page; also taken as `page[index]`.'),
    limit: page(
      'page.limit',
      { ...count(1), default: limits.page.default },
      `Items of a page; also taken as \`page[limit]\`. More than ${limits.page.greatest} are served as ${limits.page.greatest}.`,
    ),
  };
}
