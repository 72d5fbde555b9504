import type { Json, JsonObject } from '@countersign/protocol';
import { type TSchema, Type } from 'typebox';
import { handleLimits } from '../base/handle.js';
import { defineShared, reference } from '../schemas/shared-schemas.js';
import { accessLimits } from './access-limits.js';
import { filterLimits } from './filter-limits.js';

/**
 * The actions of rules, in the order in which errors list them (interface/access#actions): the recorded ones, then
 * `query-event` (interface/effects#access). `sign` and `sign-intent` are refused.
 */
export const RULE_ACTIONS = [
  'abort',
  'access',
  'activate',
  'retry-event',
  'any',
  'assign-signer',
  'commit',
  'create',
  'destroy',
  'drop',
  'issue',
  'limit',
  'lookup',
  'manage',
  'query',
  'read',
  'remove-signer',
  'spend',
  'update',
  'reveal',
  'query-event',
  'erase',
] as const;

export type ActionName = (typeof RULE_ACTIONS)[number];
/**
 * The subjects of rules: the name of a kind, of its proofs or its secrets, or `any`. The registry of kinds lists them.
 */
export type RecordName = string;

/** One name, or a set of names; `any` stands for all. */
export type MatcherOf<Name extends string> =
  | Name
  | { readonly $in: readonly Name[] }
  | { readonly $nin: readonly Name[] };

/**
 * What a key must be: every member must hold (interface/access#signer-matchers). `creator` is the older word for `owner`.
 */
export interface SignerTraits {
  readonly public?: Json;
  readonly handle?: Json;
  readonly format?: Json;
  readonly schema?: Json;
  readonly custom?: JsonObject;
  readonly $circle?: string | { readonly $in: readonly string[] };
  readonly $record?: 'owner' | 'creator';
  readonly $ledger?: 'owner' | 'creator';
}

export type SignerMatcher = SignerTraits | { readonly $in: readonly SignerTraits[] };

/**
 * What a token must carry: every member must hold; members beyond the two named are claims
 * (interface/access#bearer-matchers).
 */
export interface BearerTraits {
  readonly hsh?: boolean;
  readonly $signer?: SignerMatcher;
  readonly [claim: string]: unknown;
}

export type BearerMatcher = BearerTraits | { readonly $in: readonly BearerTraits[] };

/** Grants `action` on `record`; to everyone when `signer` and `bearer` are absent (interface/access#rules). */
export interface Rule {
  readonly action: MatcherOf<ActionName>;
  readonly record?: MatcherOf<RecordName>;
  readonly signer?: SignerMatcher;
  readonly bearer?: BearerMatcher;
}

/** Stands for the values of the access policies it names (interface/policies#access-policies). */
export interface PolicyReference {
  readonly policy: string | { readonly $in: readonly string[] };
}

/** One entry of `data.access`. */
export type AccessEntry = Rule | PolicyReference;

/** One of the `values` of an access policy: a rule that may ask more of the record (interface/policies#access-policies). */
export interface AccessValue extends Rule {
  readonly filter?: JsonObject;
  readonly invoke?: string;
}

/**
 * The rules of a deployment that sets none: anyone may create a ledger with a signed body, and the ledger record of
 * every record-based ledger is readable (interface/access#levels).
 */
export const DEFAULT_SERVER_RULES: readonly Rule[] = [
  { action: 'create', record: 'ledger', signer: {} },
  { action: 'read', record: 'ledger' },
];

function ruleObject(properties: Record<string, TSchema>, options: object = {}): TSchema {
  return Type.Object(properties, { unevaluatedProperties: false, ...options });
}

function nameEnum<Name extends string>(allowed: readonly Name[]): TSchema {
  return Type.Unsafe<Name>({ type: 'string', enum: [...allowed] });
}

// The set forms have a `oneOf` of their own: that gives the recorded list of errors (interface/errors#schema-errors).
function nameMatcher<Name extends string>(allowed: readonly Name[]): TSchema {
  const several = Type.Array(nameEnum(allowed), { maxItems: accessLimits.rules });
  const sets = Type.Unsafe({ oneOf: [ruleObject({ $in: several }), ruleObject({ $nin: several })] });
  return Type.Unsafe<MatcherOf<Name>>({ oneOf: [nameEnum(allowed), sets] });
}

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Scalars = Type.Array(Scalar, { maxItems: accessLimits.rules });

/** A scalar, or operators that all must hold (interface/access#signer-matchers). */
const MatcherCondition = defineShared<Json>(
  'condition',
  Type.Union([
    Scalar,
    ruleObject(
      {
        $eq: Type.Optional(Scalar),
        $ne: Type.Optional(Scalar),
        $in: Type.Optional(Scalars),
        $nin: Type.Optional(Scalars),
        $regex: Type.Optional(Type.String({ maxLength: filterLimits.characters })),
      },
      { minProperties: 1 },
    ),
  ]),
);

const RuleHandle = Type.String({ maxLength: handleLimits.characters });
const Handles = Type.Union([RuleHandle, ruleObject({ $in: Type.Array(RuleHandle, { maxItems: accessLimits.rules }) })]);
const Ownership = nameEnum(['owner', 'creator']);

// Unknown members are refused: a restriction that is stored but ignored would grant more than its author meant.
const Traits = ruleObject({
  public: Type.Optional(MatcherCondition),
  handle: Type.Optional(MatcherCondition),
  format: Type.Optional(MatcherCondition),
  schema: Type.Optional(MatcherCondition),
  custom: Type.Optional(Type.Object({}, { additionalProperties: true })),
  $circle: Type.Optional(Handles),
  $record: Type.Optional(Ownership),
  $ledger: Type.Optional(Ownership),
});

/**
 * A `signer` matcher, also an element of a quorum (interface/access#signer-matchers, interface/policies#status-policies).
 */
export const SignerMatcher = defineShared<SignerMatcher>(
  'signer-matcher',
  Type.Union([Traits, ruleObject({ $in: Type.Array(Traits, { maxItems: accessLimits.rules }) })]),
);

const BearerClaims = Type.Unsafe<BearerTraits>({
  type: 'object',
  properties: {
    iss: MatcherCondition,
    sub: MatcherCondition,
    aud: MatcherCondition,
    hsh: { type: 'boolean' },
    $signer: SignerMatcher,
  },
  propertyNames: { pattern: '^([^$]|\\$signer$)' },
  additionalProperties: true,
});

const BearerSchema = Type.Unsafe<BearerMatcher>({
  anyOf: [BearerClaims, ruleObject({ $in: Type.Array(BearerClaims, { maxItems: accessLimits.rules }) })],
});

/** The name of an action, as an access check asks for it. */
export const AccessAction = nameEnum(RULE_ACTIONS);

/** `data.access` of any record (interface/access#rules). */
export const AccessEntries = Type.Array(reference<AccessEntry>('access-entry'), { maxItems: accessLimits.rules });

/** `values` of an access policy (interface/policies#access-policies). */
export const AccessValues = Type.Array(reference<AccessValue>('access-value'), { maxItems: accessLimits.rules });

/**
 * Defines the shared schemas that `AccessEntries` and `AccessValues` refer to. Rules name kinds and every kind has
 * rules, so the registry calls this once, when all kinds are known.
 *
 * @param records the subjects of rules, in the order in which errors list them
 */
export function defineAccessRules(records: readonly string[]): void {
  const rule = {
    record: Type.Optional(nameMatcher(records)),
    signer: Type.Optional(SignerMatcher),
    bearer: Type.Optional(BearerSchema),
  };
  // One closed object, so that a bad rule gives its own errors only.
  defineShared<AccessEntry>(
    'access-entry',
    ruleObject(
      { action: Type.Optional(nameMatcher(RULE_ACTIONS)), ...rule, policy: Type.Optional(Handles) },
      {
        anyOf: [Type.Object({ action: Type.Unknown() }), Type.Object({ policy: Type.Unknown() })],
        dependentSchemas: { policy: { type: 'object', maxProperties: 1 } },
      },
    ),
  );
  const filter = Type.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: MatcherCondition,
    maxProperties: filterLimits.count,
  });
  defineShared<AccessValue>(
    'access-value',
    ruleObject({
      action: nameMatcher(RULE_ACTIONS),
      ...rule,
      filter: Type.Optional(filter),
      invoke: Type.Optional(RuleHandle),
    }),
  );
}
