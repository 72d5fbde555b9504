import { type TObject, type TSchema, Type } from 'typebox';
import { AccessRecord, AccessValues, SignerMatcher } from '../access/rules.js';
import { limits } from '../limits.js';
import { closed, common, Free, Handle, oneOfNames } from './data.js';

/** The schemas of policies the service knows, in the order errors list them (contract 03 §8.1). */
const KNOWN = ['layout', 'access', 'status', 'labels', 'schedule', 'processing', 'authentication', 'dtc'];

const Stored = Type.Array(Type.Unknown(), { maxItems: limits.rules });

// A member beyond these would silently widen what the value stands for, so it is refused.
const StatusValue = closed({
  quorum: Type.Array(SignerMatcher, { maxItems: limits.quorum }),
  status: Type.Optional(
    Type.Union([
      Type.String(),
      closed({ $in: Type.Array(Type.String(), { maxItems: limits.rules }) }),
      closed({ $nin: Type.Array(Type.String(), { maxItems: limits.rules }) }),
    ]),
  ),
  filter: Type.Optional(Free),
});

const Aspect = closed({
  schema: oneOfNames(['aspect']),
  action: oneOfNames(['read', 'query', 'create', 'update', 'drop', 'sign']),
  invoke: closed({ bridge: Handle }),
  config: Type.Optional(
    closed({ strategy: Type.Optional(oneOfNames(['proxy', 'fallback', 'validate', 'synchronize'])) }),
  ),
  filter: Type.Optional(Free),
});

const Provider = closed({
  schema: oneOfNames(['oauth2']),
  signer: closed({ handle: Handle }),
  target: Type.Optional(closed({ schema: Type.Optional(Handle) })),
  config: Type.Optional(closed({ 'jwt.ttl': Type.Optional(Type.Integer({ minimum: 1, maximum: limits.tokenLife })) })),
});

const shared = {
  extend: Type.Optional(Type.Union([Handle, Type.Array(Handle, { maxItems: limits.extended })])),
  filter: Type.Optional(Free),
  custom: common.custom,
  access: common.access,
};

const list = (value: TSchema) => Type.Array(value, { maxItems: limits.rules });

// `schema` stands before all members that differ, so that a branch that is not meant fails on it and nothing else.
function policyOf(schema: TSchema, values: TSchema, record: TSchema = Type.Optional(AccessRecord)): TObject {
  return closed({ handle: Handle, schema, record, values, ...shared });
}

const Schedule = closed({
  handle: Handle,
  // Policies of other schemas fail here on `action`, which they lack, before `schema` is looked at.
  action: oneOfNames(['create']),
  schema: oneOfNames(['schedule']),
  record: oneOfNames(['report']),
  inputs: Free,
  config: Type.Optional(Free),
  values: Type.Optional(Stored),
  ...shared,
});

/** A policy by a name of the user's own is stored, and decides nothing (contract 03 §8.1). */
export const CustomPolicy = policyOf(
  Type.String({ maxLength: limits.handle, pattern: `^(?!${KNOWN.join('|')}).*$` }),
  Stored,
);

/**
 * What the data of a policy may be, by its schema. The order is that of the recorded errors: each branch gives its
 * first one (contract 03 §8.1).
 */
export const policyShapes: readonly TObject[] = [
  policyOf(oneOfNames(['layout']), Stored),
  policyOf(oneOfNames(['status']), list(StatusValue)),
  policyOf(oneOfNames(['labels']), Stored),
  policyOf(oneOfNames(['access']), AccessValues),
  Schedule,
  policyOf(oneOfNames(['processing']), list(Aspect), Type.Optional(oneOfNames(['anchor']))),
  policyOf(oneOfNames(['authentication']), list(Provider)),
  policyOf(oneOfNames(['dtc']), Stored),
  CustomPolicy,
];
