import { isObject, type JsonObject, LedgerError } from '@countersign/protocol';
import type { KindDeclaration } from './declaration.js';
import { checkAccessFilters } from './policies/filter.js';
import { checkSchedule } from './policies/schedule.js';
import { customPolicy, policyShapes } from './policies/shapes.js';

/**
 * The schemas of policies that every ledger is born with, in the order lists show them
 * (interface/ledgers#birth-records).
 */
const SCHEMAS = ['status', 'layout', 'access', 'labels', 'schedule', 'processing', 'authentication', 'dtc'];

const TEXT_SCHEMA: JsonObject = { type: 'string' };
const TIMEZONE: JsonObject = { type: 'string', format: 'timezone' };

const SCHEDULE: JsonObject = {
  type: 'object',
  required: ['record', 'action', 'inputs'],
  properties: {
    handle: TEXT_SCHEMA,
    record: { type: 'string', enum: ['report'] },
    action: { type: 'string', enum: ['create'] },
    custom: { type: 'object', properties: { legend: TEXT_SCHEMA }, additionalProperties: false },
    config: { type: 'object', properties: { timezone: TIMEZONE }, additionalProperties: false },
    inputs: {
      type: 'object',
      required: ['schema'],
      properties: {
        schema: TEXT_SCHEMA,
        custom: {
          type: 'object',
          properties: { timezone: TEXT_SCHEMA, closes: TEXT_SCHEMA },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
  },
};

const OBJECT_SCHEMA: JsonObject = { type: 'object' };

/** Rules that stand outside the records they are for (interface/policies). */
export const policy: KindDeclaration = {
  name: 'policy',
  about: 'Rules that stand outside the records that they are about.',
  title: 'Policy',
  missing: 'Policy',
  prefix: 'plc',
  path: 'policies',
  data: {
    shape: customPolicy,
    alternatives: policyShapes,
    order: [
      'handle',
      'custom',
      'extend',
      'access',
      'action',
      'inputs',
      'config',
      'values',
      'record',
      'filter',
      'schema',
    ],
    schemas: 'applied',
    check(data, _previous, _config, names) {
      if (data.schema === 'access') checkAccessFilters(data, names);
      if (data.schema === 'processing') checkStrategies(data);
      if (data.schema === 'schedule') checkSchedule(data);
    },
    essence: ['schema', 'record'],
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: ['policy-created', 'policy-updated', 'policy-proofs-added'],
  },
  links: { renamable: false },
  access: { bumpsRules: 'always', part: 'policies' },
  filters: { data: ['record'] },
  birth: {
    policies: [
      {
        handle: 'access-policy:status',
        schema: 'status',
        record: 'policy',
        filter: { schema: 'access' },
        values: [{ quorum: [], status: { $in: ['created', 'active', 'inactive'] } }],
        custom: { description: 'The statuses an access policy may have' },
      },
    ],
    schemas: SCHEMAS.map((handle) => ({
      handle,
      schema: handle === 'schedule' ? SCHEDULE : OBJECT_SCHEMA,
      description: `Policies about ${handle}, which the ledger keeps a schema for`,
    })),
  },
};

/**
 * Checks strategies: a bridge answers reads, so it cannot validate them; it must receive writes, so it cannot be a
 * fallback for them (interface/policies#processing-policies).
 */
function checkStrategies(data: JsonObject): void {
  const values = Array.isArray(data.values) ? data.values.filter(isObject) : [];
  for (const { action, config } of values) {
    const strategy = isObject(config) ? config.strategy : undefined;
    const reads = action === 'read' || action === 'query';
    if (reads && strategy === 'validate') {
      throw new LedgerError('record.schema-invalid', "Cannot define 'validate' strategy for read or query actions");
    }
    if (!reads && strategy === 'fallback') {
      throw new LedgerError('record.schema-invalid', "Cannot define 'fallback' strategy for non-read or query actions");
    }
  }
}
