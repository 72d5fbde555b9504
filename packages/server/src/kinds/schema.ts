import type { JsonObject } from '@countersign/protocol';
import { Type } from 'typebox';
import { compileUserSchema } from '../schemas/user-schema.js';
import { closed, common, Free, Handle, oneOfNames } from './data.js';
import type { KindDeclaration } from './kind.js';

/** The kinds that users' schemas apply to, as errors list them (contract 02 §1.1). */
const RECORDS = [
  'anchor',
  'anchor-lookup',
  'bridge',
  'circle',
  'domain',
  'effect',
  'intent',
  'policy',
  'report',
  'signer',
  'signer-factor',
  'symbol',
  'wallet',
] as const;

/** What users ask of the data of a kind (contract 02 §1). */
export const schema: KindDeclaration = {
  name: 'schema',
  title: 'Schema',
  missing: 'Schema',
  prefix: 'sch',
  path: 'schemas',
  data: {
    shape: closed({
      handle: Handle,
      record: oneOfNames(RECORDS),
      format: oneOfNames(['json-schema']),
      schema: Free,
      // Stored, never applied: a chain that closes on itself does no harm.
      extend: Type.Optional(Handle),
      custom: common.custom,
      access: common.access,
    }),
    order: ['handle', 'format', 'record', 'schema', 'extend', 'custom', 'access'],
    schemas: 'none',
    check: (data) => void compileUserSchema(data.schema as JsonObject),
    essence: ['record'],
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
    signals: ['schema-created', 'schema-updated', 'schema-proofs-added'],
  },
  links: {
    value: (data) => String(data.record),
    renamable: false,
  },
  access: {
    decides: 'always',
  },
  filters: {
    data: ['record'],
  },
};
