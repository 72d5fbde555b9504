import { type TObject, type TSchema, Type } from 'typebox';
import { accessLimits } from '../../access/access-limits.js';
import { AccessValues, SignerMatcher } from '../../access/rules.js';
import { handleLimits } from '../../base/handle.js';
import { tokenLifetime } from '../../base/token-lifetime.js';
import { common, dataLimits, Free, Handle, oneOfNames, strictObject } from '../data.js';
import type { RecordNames } from '../declaration.js';
import { policyLimits, scheduleLimits } from './policy-limits.js';

/** The schemas of policies the service knows, in the order errors list them (interface/policies#fields). */
const POLICY_SCHEMAS = ['layout', 'access', 'status', 'labels', 'schedule', 'processing', 'authentication', 'dtc'];

const UncheckedValues = Type.Array(Type.Unknown(), { maxItems: accessLimits.rules });

// Unknown members are refused: one that was ignored would silently widen what the value stands for.
const StatusValueSchema = strictObject({
  quorum: Type.Array(SignerMatcher, { maxItems: policyLimits.quorum }),
  status: Type.Optional(
    Type.Union([
      Type.String(),
      strictObject({ $in: Type.Array(Type.String(), { maxItems: accessLimits.rules }) }),
      strictObject({ $nin: Type.Array(Type.String(), { maxItems: accessLimits.rules }) }),
    ]),
  ),
  filter: Type.Optional(Free),
});

const LabelValueSchema = strictObject({
  label: Type.Optional(
    Type.Union([
      Type.String(),
      strictObject({ $in: Type.Array(Type.String(), { maxItems: accessLimits.rules }) }),
      strictObject({ $nin: Type.Array(Type.String(), { maxItems: accessLimits.rules }) }),
      strictObject({ $regex: Type.String({ maxLength: dataLimits.label }) }),
    ]),
  ),
  unique: Type.Optional(Type.Boolean()),
  filter: Type.Optional(Free),
});

// What clients make records of: the ledger applies none of it, so a template may be any data.
const TemplateSchema = strictObject({ data: Free, custom: common.custom });

const LayoutSchema = (records: readonly string[]) =>
  strictObject({
    record: oneOfNames(records),
    values: Type.Array(TemplateSchema, { maxItems: accessLimits.rules }),
    custom: common.custom,
  });

const Firing = strictObject({ cron: Type.String({ maxLength: scheduleLimits.cron }) });

const AspectSchema = strictObject({
  schema: oneOfNames(['aspect']),
  action: oneOfNames(['read', 'query', 'create', 'update', 'drop', 'sign']),
  invoke: strictObject({ bridge: Handle }),
  config: Type.Optional(
    strictObject({ strategy: Type.Optional(oneOfNames(['proxy', 'fallback', 'validate', 'synchronize'])) }),
  ),
  filter: Type.Optional(Free),
});

const ProviderSchema = strictObject({
  schema: oneOfNames(['oauth2']),
  signer: strictObject({ handle: Handle }),
  target: Type.Optional(strictObject({ schema: Type.Optional(Handle) })),
  config: Type.Optional(
    strictObject({ 'jwt.ttl': Type.Optional(Type.Integer({ minimum: 1, maximum: tokenLifetime.greatest })) }),
  ),
});

const commonMembers = {
  extend: Type.Optional(Type.Union([Handle, Type.Array(Handle, { maxItems: policyLimits.extended })])),
  filter: Type.Optional(Free),
  custom: common.custom,
  access: common.access,
};

const listOfValues = (value: TSchema) => Type.Array(value, { maxItems: accessLimits.rules });

// `schema` comes before all members that differ, so that a branch for another schema fails on it alone.
function makePolicySchema(schema: TSchema, values: TSchema, records: readonly string[]): TObject {
  return strictObject({ handle: Handle, schema, record: Type.Optional(oneOfNames(records)), values, ...commonMembers });
}

const Schedule = strictObject({
  handle: Handle,
  // Policies of other schemas fail here on `action`, which they lack, before `schema` is looked at.
  action: oneOfNames(['create']),
  schema: oneOfNames(['schedule']),
  record: oneOfNames(['report']),
  inputs: Free,
  config: Type.Optional(Free),
  values: Type.Optional(Type.Array(Firing, { maxItems: scheduleLimits.values })),
  ...commonMembers,
});

/** A policy of a user-defined schema: it is stored, and decides nothing (interface/policies#fields). */
export function customPolicy({ records }: RecordNames): TObject {
  const schema = Type.String({ maxLength: handleLimits.characters, pattern: `^(?!${POLICY_SCHEMAS.join('|')}).*$` });
  return makePolicySchema(schema, UncheckedValues, records);
}

/**
 * The shapes of a policy's data, by its schema, in the order of the recorded errors: each branch reports its first one
 * (interface/policies#fields).
 */
export function policyShapes(names: RecordNames): readonly TObject[] {
  const named = (schema: string, values: TSchema, records = names.records) =>
    makePolicySchema(oneOfNames([schema]), values, records);
  return [
    named('layout', listOfValues(LayoutSchema(names.records))),
    named('status', listOfValues(StatusValueSchema)),
    named('labels', listOfValues(LabelValueSchema)),
    named('access', AccessValues),
    Schedule,
    named('processing', listOfValues(AspectSchema), names.forwarded),
    named('authentication', listOfValues(ProviderSchema)),
    named('dtc', UncheckedValues),
    customPolicy(names),
  ];
}
