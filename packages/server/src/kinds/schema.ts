import type { JsonObject } from '@countersign/protocol';
import { Type } from 'typebox';
import { compileUserSchema } from '../schemas/user-schema.js';
import { closed, common, Free, Handle, oneOfNames } from './data.js';
import type { Kind } from './kind.js';

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
export const schema: Kind = {
  name: 'schema',
  title: 'Schema',
  missing: 'Schema',
  prefix: 'sch',
  path: 'schemas',
  operations: ['create', 'list', 'read', 'update', 'proof', 'changes', 'check'],
  data: closed({
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
  link: (data) => String(data.record),
  filters: ['record'],
  signals: ['schema-created', 'schema-updated', 'schema-proofs-added'],
  renamable: false,
  essence: ['record'],
  decides: 'always',
};
