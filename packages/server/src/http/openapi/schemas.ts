import type { TObject, TSchema } from 'typebox';
import type { Kind } from '../../kinds/kind.js';
import { type BodySchemas, bodySchemasOf, checkSchema } from '../../records/bodies.js';
import { sharedSchemas } from '../../schemas/shared.js';

/** A JSON Schema as the document holds it. */
export type Schema = Record<string, unknown>;

/** The component called `name`. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The parts request schemas share, as components; the names they refer to one another by are unknown outside. */
export function sharedComponents(): Record<string, Schema> {
  return Object.fromEntries(
    sharedSchemas().map(({ $id, ...schema }: TSchema & { $id?: string }) => [String($id), described(schema)]),
  );
}

/**
 * What the data of a kind is, and the request bodies that carry it. The members are said once, in `<kind>-data`, which
 * is open: creates close it, updates add the parent and close it, served records have what the ledger adds.
 */
export function kindComponents(kind: Kind): Record<string, Schema> {
  const { name, operations } = kind;
  const bodies = bodySchemasOf(kind);
  const served = (base: string): Schema => ({
    allOf: [ref(base)],
    properties: { data: { allOf: [ref(`${name}-data`)], properties: { parent: ref('hash') } } },
  });
  return {
    [`${name}-data`]: opened(kind),
    [name]: served('record'),
    ...(operations.includes('changes') ? { [`${name}-change`]: served('change') } : {}),
    [`${name}-create`]: withData(bodies.create, closedData(kind, {})),
    ...(operations.includes('update')
      ? { [`${name}-update`]: withData(bodies.update, closedData(kind, { parent: ref('hash') })) }
      : {}),
    ...(operations.includes('proof') ? { [`${name}-proof`]: eitherProof(bodies) } : {}),
    ...(operations.includes('drop') ? { [`${name}-drop`]: described(bodies.drop) } : {}),
  };
}

/** The body of an access check. */
export function checkComponent(): Schema {
  return described(checkSchema);
}

/** A proof, or what the caller's token is to sign in its stead (contract 03 §4.4). */
function eitherProof({ proof, partialProof }: BodySchemas): Schema {
  const signing = ['method', 'public', 'digest', 'result'];
  return {
    anyOf: [
      described(proof),
      { ...described(partialProof), not: { anyOf: signing.map((member) => ({ required: [member] })) } },
    ],
  };
}

function opened(kind: Kind): Schema {
  const [only, ...others] = (kind.alternatives ?? [kind.data]).map((shape: TObject) => {
    const { unevaluatedProperties: _, ...open } = described(shape);
    return open;
  });
  return others.length === 0 && only ? only : { anyOf: [only, ...others] };
}

/** Members of the data that no branch knows are refused, as `unevaluatedProperties` looks through `allOf`. */
function closedData(kind: Kind, more: Record<string, Schema>): Schema {
  const names = Object.keys(more);
  return {
    allOf: [ref(`${kind.name}-data`)],
    ...(names.length === 0 ? {} : { properties: more, required: names }),
    unevaluatedProperties: false,
  };
}

function withData(envelope: BodySchemas['create'], data: Schema): Schema {
  const schema = described(envelope);
  return { ...schema, properties: { ...(schema.properties as Schema), data } };
}

/** A request schema as plain JSON, its references leading to the components of the document. */
function described(schema: object): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' ? ref(value).$ref : value,
    ),
  ) as Schema;
}
