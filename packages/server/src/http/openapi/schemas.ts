import type { TSchema } from 'typebox';
import { listSharedSchemas } from '../../schemas/shared.js';

/** A JSON Schema as the document holds it. */
export type Schema = Record<string, unknown>;

/** The component called `name`. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export const text: Schema = { type: 'string' };

/** A whole number from `minimum` on. */
export function count(minimum: number): Schema {
  return { type: 'integer', minimum };
}

/** A list of `items`. */
export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** One of some texts. Code generators need the type too. */
export function oneOfTexts(names: readonly string[]): Schema {
  return { ...text, enum: [...names] };
}

/** An object with any members. Code generators need the keyword to allow them. */
export const openObject: Schema = { type: 'object', additionalProperties: true };

/** An object with these members, all required except `optional`. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

/** The parts that request schemas share, as components named by their `$id`. */
export function makeSharedComponents(): Record<string, Schema> {
  return Object.fromEntries(
    listSharedSchemas().map(({ $id, ...schema }: TSchema & { $id?: string }) => [String($id), toOpenApiSchema(schema)]),
  );
}

/** A request schema as plain JSON: references lead to components of the document, enumerations get a `type`. */
export function toOpenApiSchema(schema: object): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === '$ref' && typeof value === 'string') return ref(value).$ref;
      return isNames(value) ? { ...text, ...value } : value;
    }),
  ) as Schema;
}

/** Whether `value` is an enumeration of texts, to which `toOpenApiSchema` adds the type that code generators need. */
function isNames(value: unknown): value is Schema {
  const names = (value as Schema | null)?.enum;
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}
