import { HANDLE_PATTERN, isObject, type Json } from '@countersign/protocol';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { AccessEntries } from '../access/rules.js';
import { handleLimits } from '../base/handle.js';
import { SECRET_PATTERN } from '../schemas/secret-reference.js';

/** What stands in data of several kinds. */
export const dataLimits = {
  /** Characters of a URL. */
  url: 2_048,
  /** Characters of a label. */
  label: 255,
} as const;

/** A handle, which is an address: `[schema:]name(@part)*` (interface/envelope#handles). */
export const Handle = Type.String({ maxLength: handleLimits.characters, pattern: HANDLE_PATTERN });

/** An object with any members, chosen by the client: `custom`, filters. */
export const Free = Type.Object({}, { additionalProperties: true });

/** The members nearly every kind has, after its own (interface/envelope#record). */
export const common = {
  schema: Type.Optional(Handle),
  custom: Type.Optional(Free),
  access: Type.Optional(AccessEntries),
};

/** Base64 of a raw 32-byte Ed25519 public key (interface/envelope#hash-and-digest). */
export const PUBLIC_KEY_PATTERN = '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$';

/** The placeholder of a secret in data; its value travels in `meta.secret` (interface/signers#secrets). */
export const SecretReference = Type.String({ pattern: SECRET_PATTERN });

const secretReference = new RegExp(SECRET_PATTERN);

/** Whether `value` stands for a secret: `{{ secret.<name> }}`. */
export function isSecretReference(value: Json | undefined): value is string {
  return typeof value === 'string' && secretReference.test(value);
}

/** The names of the secret references among `values`, each once; other values are ignored. */
export function secretNames(values: readonly (Json | undefined)[]): readonly string[] {
  const references = values.filter(isSecretReference);
  return [...new Set(references.map((reference) => reference.slice('{{ secret.'.length, -' }}'.length)))];
}

/**
 * An object that refuses other members as `must NOT have unevaluated properties` (interface/envelope#record).
 *
 * @param also further keywords, such as conditions under which it has more members
 */
export function strictObject<Properties extends TProperties>(
  properties: Properties,
  also: object = {},
): TObject<Properties> {
  return Type.Object(properties, { ...also, unevaluatedProperties: false });
}

/** One of `names`. Always an enumeration, even of one, because the interface's errors list the allowed values. */
export function oneOfNames(names: readonly string[]): TSchema {
  return Type.Unsafe<string>({ type: 'string', enum: [...names] });
}

/**
 * Exactly one of `branches`. Each branch that fails reports its first error, in this order; then `oneOf` follows
 * (interface/intents#claims).
 */
export function unionOf(branches: readonly TSchema[]): TSchema {
  return Type.Unsafe<unknown>({ oneOf: [...branches] });
}

/** The handles of addresses, in either of their two forms, each once (interface/intents#claims). */
export function handlesOf(addresses: readonly (Json | undefined)[]): string[] {
  const handles = addresses.map((address) => (isObject(address) ? address.handle : address));
  return [...new Set(handles.filter((handle) => typeof handle === 'string'))];
}
