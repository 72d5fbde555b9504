import type { JsonObject } from '@countersign/protocol';

const STATUSES = [
  'created',
  'pending',
  'prepared',
  'committed',
  'completed',
  'failed',
  'aborted',
  'rejected',
  'expired',
];

/** The policies every ledger is born with (contract 01 §14, 03 §8.3). */
export const SYSTEM_POLICIES: readonly JsonObject[] = [
  {
    handle: 'intent:status',
    schema: 'status',
    record: 'intent',
    values: [{ quorum: [{ handle: 'system' }], status: { $in: STATUSES } }],
    custom: { description: 'The statuses of intents, which only the ledger itself may set' },
  },
  {
    handle: 'access-policy:status',
    schema: 'status',
    record: 'policy',
    filter: { schema: 'access' },
    values: [{ quorum: [], status: { $in: ['created', 'active', 'inactive'] } }],
    custom: { description: 'The statuses an access policy may have' },
  },
];

const REST: JsonObject = {
  type: 'object',
  required: ['config'],
  properties: {
    config: { type: 'object', required: ['server'], properties: { server: { type: 'string' } } },
    custom: { type: 'object' },
    secure: { type: 'array' },
  },
};

const TEXT: JsonObject = { type: 'string' };
const TIMEZONE: JsonObject = { type: 'string', format: 'timezone' };

const SCHEDULE: JsonObject = {
  type: 'object',
  required: ['record', 'action', 'inputs'],
  properties: {
    handle: TEXT,
    record: { type: 'string', enum: ['report'] },
    action: { type: 'string', enum: ['create'] },
    custom: { type: 'object', properties: { legend: TEXT }, additionalProperties: false },
    config: { type: 'object', properties: { timezone: TIMEZONE }, additionalProperties: false },
    inputs: {
      type: 'object',
      required: ['schema'],
      properties: {
        schema: TEXT,
        custom: { type: 'object', properties: { timezone: TEXT, closes: TEXT }, additionalProperties: false },
      },
      additionalProperties: false,
    },
  },
};

const ANY: JsonObject = { type: 'object' };

function schema(record: string, handle: string, content: JsonObject, description: string): JsonObject {
  return { handle, format: 'json-schema', record, schema: content, custom: { description } };
}

/** The schemas every ledger is born with (contract 01 §14). Being there is what makes their kinds need a schema. */
export const SYSTEM_SCHEMAS: readonly JsonObject[] = [
  ...['status', 'layout', 'access', 'labels'].map((name) => policySchema(name, ANY)),
  policySchema('schedule', SCHEDULE),
  ...['processing', 'authentication', 'dtc'].map((name) => policySchema(name, ANY)),
  schema('bridge', 'rest', REST, 'Bridges reached over HTTP, which the ledger keeps a schema for'),
  ...['oauth-client-credentials', 'key-pair', 'otp', 'totp'].map((name) =>
    schema('signer-factor', name, ANY, `Signer factors of the form ${name}, which the ledger keeps a schema for`),
  ),
];

function policySchema(name: string, content: JsonObject): JsonObject {
  return schema('policy', name, content, `Policies about ${name}, which the ledger keeps a schema for`);
}
