import type { JsonObject } from '@countersign/protocol';
import { Type } from 'typebox';
import { compileUserSchema } from '../schemas/user-schema.js';
import { common, Free, Handle, oneOfNames, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';

/** A user's schema for the data of a kind (interface/schemas). */
export const schema: KindDeclaration = {
  name: 'schema',
  about: 'A JSON Schema that records of a kind must match.',
  title: 'Schema',
  missing: 'Schema',
  prefix: 'sch',
  path: 'schemas',
  data: {
    shape: ({ schemas }) =>
      strictObject({
        handle: Handle,
        record: oneOfNames(schemas),
        format: oneOfNames(['json-schema']),
        schema: Free,
        // Stored but never applied, so a cycle is harmless.
        extend: Type.Optional(Handle),
        custom: common.custom,
        access: common.access,
      }),
    order: ['handle', 'format', 'record', 'schema', 'extend', 'custom', 'access'],
    schemas: 'none',
    check: async (data, _previous, _config, _names, task) =>
      void (await compileUserSchema(data.schema as JsonObject, task)),
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
  access: { bumpsRules: 'always', part: 'schemas' },
  filters: { data: ['record'] },
};
