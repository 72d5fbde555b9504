import type { TSchema } from 'typebox';
import { AccessAction } from '../../access/rules.js';
import { Handle, oneOfNames } from '../../kinds/data.js';
import { kinds, recordNames } from '../../kinds/registry.js';
import { listSharedSchemas } from '../../schemas/shared-schemas.js';
import { type Schema, toOpenApiSchema } from './schemas.js';

/** Parts of data that have names of their own in the document: what kinds declare, and what all have in common. */
const DATA_PARTS: Readonly<Record<string, TSchema>> = Object.assign(
  {
    handle: Handle,
    'access-action': AccessAction,
    'record-name': oneOfNames(recordNames.records),
    signal: oneOfNames(recordNames.signals),
  },
  ...kinds.map(({ data }) => data.parts ?? {}),
);

const namesByText = new Map(Object.entries(DATA_PARTS).map(([name, schema]) => [JSON.stringify(schema), name]));

/** A schema of requests as the document has it, with a reference in the place of each part that has a name. */
export function withParts(schema: object): Schema {
  return toOpenApiSchema(schema, (text) => namesByText.get(text));
}

/** The parts that request schemas share, as components named by their `$id`. */
export function describeParts(): Record<string, Schema> {
  return Object.fromEntries(
    listSharedSchemas().map(({ $id, ...schema }: TSchema & { $id?: string }) => [String($id), withParts(schema)]),
  );
}

/** The components of the parts. */
export function partComponents(): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(DATA_PARTS).map(([name, schema]) => {
      const part = toOpenApiSchema(schema, (text) => {
        const other = namesByText.get(text);
        return other === name ? undefined : other;
      });
      return [name, name === 'handle' ? { ...part, description: ADDRESS_DESCRIPTION } : part];
    }),
  );
}

const ADDRESS_DESCRIPTION =
  'An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.';
