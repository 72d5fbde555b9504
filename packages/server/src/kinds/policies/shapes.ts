import { type TObject, type TSchema, Type } from 'typebox';
import { AccessValues, SignerMatcher } from '../../access/rules.js';
import { limits } from '../../limits.js';
import { closed, common, Free, Handle, oneOfNames } from '../data.js';
import type { Names } from '../declaration.js';

/** The schemas of policies the service knows, in the order errors list them (interface/policies#fields). */
const KNOWN = ['layout', 'access', 'status', 'labels', 'schedule', 'processing', 'authentication', 'dtc'];

const Stored = Type.Array(Type.Unknown(), { maxItems: limits.rules });

// Unknown members are refused: one that was ignored would silently widen what the value stands for.
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

// `schema` comes before all members that differ, so that a branch for another schema fails on it alone.
function policyOf(schema: TSchema, values: TSchema, records: readonly string[]): TObject {
  return closed({ handle: Handle, schema, record: Type.Optional(oneOfNames(records)), values, ...shared });
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

/** A policy of a user-defined schema: it is stored, and decides nothing (interface/policies#fields). */
export function customPolicy({ records }: Names): TObject {
  const schema = Type.String({ maxLength: limits.handle, pattern: `^(?!${KNOWN.join('|')}).*$` });
  return policyOf(schema, Stored, records);
}

/**
 * The shapes of a policy's data, by its schema, in the order of the recorded errors: each branch reports its first one
 * (interface/policies#fields).
 */
export function policyShapes(names: Names): readonly TObject[] {
  const named = (schema: string, values: TSchema, records = names.records) =>
    policyOf(oneOfNames([schema]), values, records);
  return [
    named('layout', Stored),
    named('status', list(StatusValue)),
    named('labels', Stored),
    named('access', AccessValues),
    Schedule,
    named('processing', list(Aspect), names.forwarded),
    named('authentication', list(Provider)),
    named('dtc', Stored),
    customPolicy(names),
  ];
}
