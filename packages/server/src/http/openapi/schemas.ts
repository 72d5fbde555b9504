import { readJson } from '@countersign/protocol';
/** A JSON Schema as the document holds it. */
export type Schema = Record<string, unknown>;

/** The component called `name`. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export const textSchema: Schema = { type: 'string' };

/** A whole number from `minimum` on. */
export function wholeNumber(minimum: number): Schema {
  return { type: 'integer', minimum };
}

/** A list of `items`. */
export function arrayOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** One of some texts. Code generators need the type too. */
export function oneOfTexts(names: readonly string[]): Schema {
  return { ...textSchema, enum: [...names] };
}

/** An object with any members. Code generators need the keyword to allow them. */
export const openObject: Schema = { type: 'object', additionalProperties: true };

/** An object with these members, all required except `optional`. */
export function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

/**
 * A request schema as plain JSON: references lead to components of the document, enumerations get a `type`.
 *
 * @param partNamed the component that stands for a schema, given the schema's text
 */
export function toOpenApiSchema(schema: object, partNamed: (text: string) => string | undefined = () => undefined) {
  return readJson(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === '$ref' && typeof value === 'string') return value.startsWith('#/') ? value : ref(value).$ref;
      const part = isObjectOrArray(value) ? partNamed(JSON.stringify(value)) : undefined;
      if (part !== undefined) return ref(part);
      // Code generators make `never` of the one, and know nothing of the other.
      if (isObjectOrArray(value) && JSON.stringify(value) === '{"not":{}}') return false;
      return isNames(value) ? { ...textSchema, ...value } : value;
    }),
  ) as Schema;
}

function isObjectOrArray(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Whether `value` is an enumeration of texts, to which `toOpenApiSchema` adds the type that code generators need. */
function isNames(value: unknown): value is Schema {
  const names = (value as Schema | null)?.enum;
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}
