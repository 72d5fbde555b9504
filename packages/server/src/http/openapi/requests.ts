import type { TObject } from 'typebox';
import type { Kind } from '../../kinds/kind.js';
import { type BodySchemas, bodySchemasOf, retrySchema } from '../../operations/bodies.js';
import { OPERATIONS } from '../../operations/operations.js';
import { listOf, ref, type Schema, toOpenApiSchema } from './schemas.js';

/**
 * The data of a kind, and the request bodies that carry it. The members are declared once, in the open schema
 * `<kind>-data`: creates close it, updates add the parent and close it, answers add what the ledger adds.
 */
export function requestComponents(kind: Kind): Record<string, Schema> {
  const {
    name,
    lifecycle: { operations },
  } = kind;
  const bodies = bodySchemasOf(kind);
  return {
    [`${name}-data`]: opened(kind),
    [`${name}-create`]: withData(bodies.create, strictData(kind)),
    ...(operations.includes('update')
      ? { [`${name}-update`]: withData(bodies.update, describeUpdate(kind), { luid: ref('luid') }) }
      : {}),
    ...(operations.includes('proof') ? { [`${name}-proof`]: eitherProof(bodies) } : {}),
    ...(operations.includes('drop') ? { [`${name}-drop`]: describeSignedBody(bodies.drop) } : {}),
  };
}

/** What requests of every kind have in common: the bodies of operations, and the proofs that come with data. */
export function commonRequests(kind: Kind): Record<string, Schema> {
  const bodies = OPERATIONS.flatMap(({ description }) => Object.entries(description.components?.requests ?? {}));
  return {
    ...Object.fromEntries(bodies.map(([name, schema]) => [name, describeSignedBody(schema)])),
    retry: describeSignedBody(retrySchema),
    'sent-proof': eitherProof(bodySchemasOf(kind)),
  };
}

/** A proof, or what is signed on the strength of the caller's token (interface/tokens#token-only-writes). */
function eitherProof({ proof, partialProof }: BodySchemas): Schema {
  const signing = ['method', 'public', 'digest', 'result'];
  return {
    anyOf: [
      toOpenApiSchema(proof),
      { ...toOpenApiSchema(partialProof), not: { anyOf: signing.map((member) => ({ required: [member] })) } },
    ],
  };
}

function opened(kind: Kind): Schema {
  const [only, ...others] = (kind.data.alternatives ?? [kind.data.shape]).map((shape: TObject) => {
    const { unevaluatedProperties: _, ...rest } = toOpenApiSchema(shape);
    return withConditional(rest);
  });
  return others.length === 0 && only ? only : { anyOf: [only, ...others] };
}

/**
 * Rewrites `if` and `else` as plain members and a `not`: code generators derive types from plain members only. The
 * `not` excludes the condition together with any of the members.
 */
function withConditional({ if: condition, else: also, ...shape }: Schema): Schema {
  if (also === undefined) return shape;
  const { properties } = also as { properties: Record<string, Schema> };
  const any = { anyOf: Object.keys(properties).map((member) => ({ required: [member] })) };
  const members = { ...(shape.properties as Schema), ...properties };
  return { ...shape, properties: members, not: { allOf: [condition, any] } };
}

/** Refuses members unknown to every branch: `unevaluatedProperties` looks through `allOf`. */
function strictData(kind: Kind): Schema {
  return { allOf: [ref(`${kind.name}-data`)], unevaluatedProperties: false };
}

/** The data of an update: it names the version it replaces, and may send back what the ledger has added. */
function describeUpdate(kind: Kind): Schema {
  const members = { parent: ref('hash'), ...toOpenApiSchema(kind.data.added ?? {}) };
  return { ...strictData(kind), type: 'object', required: ['parent'], properties: members };
}

/** @param more further members of the body; a create ignores `luid`, in an update it is the record's */
function withData(envelope: BodySchemas['create'], data: Schema, more: Record<string, Schema> = {}): Schema {
  const schema = describeSignedBody(envelope);
  return { ...schema, properties: { ...(schema.properties as Schema), data, ...more } };
}

/** A body whose proofs are each signed, or left to the token. */
function describeSignedBody(envelope: object): Schema {
  const schema = toOpenApiSchema(envelope) as Schema & { properties: Record<string, Schema> };
  const { meta, ...others } = schema.properties as Record<string, Schema & { properties?: Schema }>;
  const withProofs = { ...meta, properties: { ...meta?.properties, proofs: listOf(ref('sent-proof')) } };
  return { ...schema, properties: { ...others, meta: withProofs } };
}
