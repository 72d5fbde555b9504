import type { TObject } from 'typebox';
import type { Kind } from '../../kinds/kind.js';
import { type BodySchemas, bodySchemasOf, retrySchema } from '../../operations/bodies.js';
import { OPERATIONS } from '../../operations/operations.js';
import { withParts } from './parts.js';
import { arrayOf, ref, type Schema, toOpenApiSchema } from './schemas.js';

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
    ...describeData(kind),
    [`${name}-create`]: withData(bodies.create, strictData(kind)),
    ...(operations.includes('update')
      ? { [`${name}-update`]: withData(bodies.update, describeUpdate(kind), { luid: ref('luid') }) }
      : {}),
    ...(operations.includes('proof') ? { [`${name}-proof`]: describeSentProof(kind, bodies) } : {}),
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

/** The proof that a kind takes: that of all kinds, unless the kind limits the statuses that one may ask for. */
function describeSentProof(kind: Kind, bodies: BodySchemas): Schema {
  return kind.lifecycle.statuses ? eitherProof(bodies) : { allOf: [ref('sent-proof')] };
}

/** A proof, or what is signed on the strength of the caller's token (interface/tokens#token-only-writes). */
function eitherProof({ proof, partialProof }: BodySchemas): Schema {
  const signing = ['method', 'public', 'digest', 'result'];
  const signed = toOpenApiSchema(proof) as Schema & { properties: Record<string, Schema> };
  const described = signing.map((name) => [name, { ...signed.properties[name], description: SIGNING[name] }]);
  return {
    anyOf: [
      { ...signed, properties: { ...signed.properties, ...Object.fromEntries(described) } },
      {
        ...toOpenApiSchema(partialProof),
        not: { anyOf: signing.map((member) => ({ required: [member] })) },
        description: 'Left to the ledger to sign, for the signer that the bearer token stands for.',
      },
    ],
  };
}

const SIGNING: Readonly<Record<string, string>> = {
  method: '`ed25519-v2`',
  public: 'Base64 of the raw public key.',
  digest: 'SHA-256 of the text of `hash` followed by the canonical JSON of `custom`, in hex.',
  result: 'Base64 of the Ed25519 signature over the 32 bytes of the digest.',
};

/** `<kind>-data`, and a component for each form of it where there are several: `access-policy-data`. */
function describeData(kind: Kind): Record<string, Schema> {
  const name = `${kind.name}-data`;
  const forms = (kind.data.alternatives ?? [kind.data.shape]).map((shape: TObject) => openShape(shape));
  const [only, ...others] = forms;
  if (only && others.length === 0) return { [name]: only };
  const named = forms.map((form) => [`${bodyForm(form)}-${name}`, form] as const);
  return { [name]: { anyOf: named.map(([form]) => ref(form)) }, ...Object.fromEntries(named) };
}

/** What tells a form from the others: the schema that it is for. */
function bodyForm({ properties }: Schema): string {
  const { enum: [schema, another] = [] } = (properties as { schema?: { enum?: string[] } }).schema ?? {};
  return schema !== undefined && another === undefined ? schema : 'other';
}

function openShape(shape: TObject): Schema {
  const { unevaluatedProperties: _, ...rest } = withParts(shape);
  return withConditional(rest);
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

/** @param more further members of the body; in an update `luid` is the record's */
function withData(envelope: BodySchemas['create'], data: Schema, more: Record<string, Schema> = {}): Schema {
  const schema = describeSignedBody(envelope);
  return { ...schema, properties: { ...(schema.properties as Schema), data, ...more } };
}

/** A body whose proofs are each signed, or left to the token. Clients that have no luid to say leave it out. */
function describeSignedBody(envelope: object): Schema {
  const schema = withParts(envelope) as Schema & { properties: Record<string, Schema> };
  const { hash, luid, meta, ...others } = schema.properties as Record<string, Schema & { properties?: Schema }>;
  const required = Array.isArray(schema.required) && schema.required.includes('luid');
  const proofs = { ...arrayOf(ref('sent-proof')), description: 'Over `hash`, by everyone who signs this.' };
  return {
    ...schema,
    properties: {
      hash: {
        ...hash,
        description:
          'SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it.',
      },
      ...others,
      luid: required ? (luid as Schema) : { ...ref('luid'), description: 'Ignored.' },
      meta: { ...meta, properties: { ...meta?.properties, proofs, secret: SECRETS_SCHEMA } },
    },
  };
}

const SECRETS_SCHEMA: Schema = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description:
    'Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`.',
};
