import { isObject, type JsonObject, LedgerError } from '@countersign/protocol';
import type { KindDeclaration } from './kind.js';
import { checkAccessFilters } from './policy-filter.js';
import { CustomPolicy, policyShapes } from './policy-shapes.js';

/** Rules that stand outside the records they are for (contract 03 §8). */
export const policy: KindDeclaration = {
  name: 'policy',
  title: 'Policy',
  missing: 'Policy',
  prefix: 'plc',
  path: 'policies',
  data: {
    shape: CustomPolicy,
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
    check(data) {
      if (data.schema === 'access') checkAccessFilters(data);
      if (data.schema === 'processing') checkStrategies(data);
    },
    essence: ['schema', 'record'],
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    signals: ['policy-created', 'policy-updated', 'policy-proofs-added'],
  },
  links: {
    renamable: false,
  },
  access: {
    decides: 'always',
  },
  filters: {
    data: ['record'],
  },
};

/** A bridge cannot validate what it only answers, nor be a fallback for what it must be told (contract 03 §8.7). */
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
