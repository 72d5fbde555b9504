import { hash as hashOf, isObject, type Json } from '@countersign/protocol';
import { type TObject, type TSchema, Type } from 'typebox';
import { AccessAction } from '../access/rules.js';
import type { Token } from '../auth/token.js';
import { handleLimits } from '../base/handle.js';
import { oneOfNames } from '../kinds/data.js';
import type { Kind } from '../kinds/kind.js';
import { recordNames } from '../kinds/registry.js';
import type { Service } from '../ledgers/service.js';
import type { SentDrop, SentProof, SentRecord } from '../records/sent-record.js';
import { makeRequestCheck } from '../schemas/request.js';
import { erasureLimits } from '../store/erasure.js';

const Hash = Type.String({ pattern: '^[A-Fa-f0-9]{64}$' });
const Luid = Type.String({ pattern: '^\\$[a-z]{3}\\.[A-Za-z0-9_-]{17}$' });

const OPEN_OBJECT = { additionalProperties: true };

const Custom = Type.Object(
  {
    moment: Type.Optional(Type.String()),
    status: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
    domain: Type.Optional(Type.String()),
  },
  OPEN_OBJECT,
);

/** All other members of a proof or `meta` are ignored (interface/envelope#meta, interface/records#create). */
const SignedMembers = {
  method: Type.String(),
  public: Type.String(),
  digest: Type.String(),
  result: Type.String(),
};
const partial = (custom: TObject) =>
  Type.Object({
    ...Object.fromEntries(Object.entries(SignedMembers).map(([name, type]) => [name, Type.Optional(type)])),
    custom: Type.Optional(custom),
  });
const meta = (custom: TObject) =>
  Type.Object(
    {
      proofs: Type.Optional(Type.Array(partial(custom))),
      secret: Type.Optional(Type.Record(Type.String(), Type.String())),
    },
    OPEN_OBJECT,
  );

/** The only status that the proof of a drop may ask for (interface/records#drop). */
const DropCustom = Type.Object({ ...Custom.properties, status: Type.Optional(Type.Enum(['dropped'])) }, OPEN_OBJECT);

export function envelope(data: TSchema, luid: 'required' | 'optional', custom: TObject = Custom): TSchema {
  // A body that lacks both is told that it lacks the data: the hash is of that.
  const members = { data, hash: Hash, meta: Type.Optional(meta(custom)) };
  return Type.Object(
    { ...members, luid: luid === 'required' ? Luid : Type.Optional(Type.Unknown()) },
    { additionalProperties: false },
  );
}

/**
 * The checks of one kind's request bodies (interface/records, interface/access#access-check), each throwing
 * `record.schema-invalid`.
 */
export interface BodyChecks {
  readonly create: (body: Json | undefined) => SentRecord;
  readonly update: (body: Json | undefined) => SentRecord;
  readonly drop: (body: Json | undefined) => SentDrop;
  readonly proof: (body: Json | undefined) => SentProof;
  /** A proof that is left to the caller's token to sign. */
  readonly partialProof: (body: Json | undefined) => SentProof;
}

const bodyChecksByKind = new Map<Kind, BodyChecks>();

/** The checks of a kind, each compiled at first use. */
export function bodyChecksOf(kind: Kind): BodyChecks {
  const checks = bodyChecksByKind.get(kind) ?? bodyChecks(kind);
  bodyChecksByKind.set(kind, checks);
  return checks;
}

/** The request schemas of one kind, as they are checked and as they are described to clients. */
export interface BodySchemas {
  readonly create: TSchema;
  readonly update: TSchema;
  readonly drop: TSchema;
  readonly proof: TSchema;
  readonly partialProof: TSchema;
}

/** What the request bodies of a kind must match (interface/records). */
export function bodySchemasOf(kind: Kind): BodySchemas {
  const create = kind.data.alternatives ? Type.Union([...kind.data.alternatives]) : kind.data.shape;
  const update = kind.data.alternatives
    ? Type.Union(kind.data.alternatives.map((data) => asUpdate(kind, data)))
    : asUpdate(kind, kind.data.shape);
  const drop = Type.Object({ parent: Hash }, { additionalProperties: false });
  const status = kind.lifecycle.statuses && Type.Enum([...kind.lifecycle.statuses]);
  const custom = status ? Type.Object({ ...Custom.properties, status: Type.Optional(status) }, OPEN_OBJECT) : Custom;
  return {
    create: envelope(create, 'optional'),
    update: envelope(update, 'optional'),
    drop: envelope(drop, 'required', DropCustom),
    proof: Type.Object({ ...SignedMembers, custom: Type.Optional(custom) }),
    partialProof: Type.Object({ custom: Type.Optional(custom) }),
  };
}

function bodyChecks(kind: Kind): BodyChecks {
  const { create, update, drop, proof, partialProof } = bodySchemasOf(kind);
  return {
    create: makeBodyCheck(create),
    update: makeBodyCheck(update),
    drop: makeBodyCheck(drop),
    proof: makeBodyCheck(proof),
    partialProof: makeBodyCheck(partialProof),
  };
}

/** What the body of an access check must match (interface/access#access-check), the same for every kind. */
export const checkSchema: TSchema = envelope(
  Type.Object(
    { action: AccessAction, record: Type.Optional(oneOfNames(recordNames.records)) },
    { additionalProperties: false },
  ),
  'optional',
);

/** The check of an access check's body. */
export const checkBody: (body: Json | undefined) => SentRecord = makeBodyCheck(checkSchema);

/**
 * What the body of a retry must match (interface/effects#retry): `maxAge` in minutes, or the `handle` of one delivery.
 */
export const retrySchema: TSchema = envelope(
  Type.Object(
    {
      maxAge: Type.Optional(Type.Integer({ minimum: 0 })),
      handle: Type.Optional(Type.String({ maxLength: handleLimits.characters })),
    },
    { additionalProperties: false },
  ),
  'optional',
);

/** The check of a retry's body. */
export const retryBody: (body: Json | undefined) => SentRecord = makeBodyCheck(retrySchema);

/** What the body of an erasure must match (interface/records#erase), the same for every kind. */
export const erasureBodySchema: TSchema = envelope(
  Type.Object(
    {
      luid: Luid,
      change: Type.Integer({ minimum: 1 }),
      reason: Type.String({ minLength: 1, maxLength: erasureLimits.reason }),
    },
    { additionalProperties: false },
  ),
  'optional',
  Type.Object({ ...Custom.properties, status: Type.Optional(Type.Enum(['erased'])) }, OPEN_OBJECT),
);

/** The check of an erasure's body. */
export const erasureBody: (body: Json | undefined) => SentRecord = makeBodyCheck(erasureBodySchema);

/** The data of an update: that of a create, the version it replaces, and members that the ledger has added. */
function asUpdate({ data: { added } }: Kind, data: TObject): TSchema {
  const { properties, required = [] } = data as TObject & { required?: string[] };
  const members = { ...properties, ...added, parent: Hash };
  return { ...data, properties: members, required: [...required, 'parent'] } as TSchema;
}

export function makeBodyCheck<T>(schema: TSchema): (body: Json | undefined) => T {
  const check = makeRequestCheck(schema);
  return (body) => {
    check(body);
    return body as T;
  };
}

/**
 * Completes a body whose client leaves the hashing to the ledger. Only callers with a token may; all others vouch for
 * the body with its hash (interface/tokens#token-only-writes).
 */
export function addHash(service: Service, body: Json | undefined, token: Token | undefined): Json | undefined {
  if (!token || !isObject(body) || body.hash !== undefined || body.data === undefined) return body;
  return { hash: hashOf(body.data, service.suite), ...body };
}
