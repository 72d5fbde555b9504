import { HANDLE_PATTERN, isObject, type Json } from '@countersign/protocol';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { AccessEntries } from '../access/rules.js';
import { limits } from '../limits.js';

/** A handle, which is an address: `[schema:]name(@part)*` (contract 00, Handles). */
export const Handle = Type.String({ maxLength: limits.handle, pattern: HANDLE_PATTERN });

/** An object whose members are the client's affair: `custom`, filters. */
export const Free = Type.Object({}, { additionalProperties: true });

/** The members nearly every kind has, after its own (contract 06 §3). */
export const common = {
  schema: Type.Optional(Handle),
  custom: Type.Optional(Free),
  access: Type.Optional(AccessEntries),
};

/** Base64 of a raw 32-byte Ed25519 public key (contract 01 §1). */
export const PUBLIC_KEY_PATTERN = '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$';

/** Source of the pattern of a secret reference (contract 03 §2.4). */
export const SECRET_PATTERN = '^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$';

/** The place a secret takes in data; its value travels in `meta.secret` (contract 03 §2.4). */
export const SecretReference = Type.String({ pattern: SECRET_PATTERN });

const secretReference = new RegExp(SECRET_PATTERN);

/** Whether `value` stands for a secret: `{{ secret.<name> }}`. */
export function isSecretReference(value: Json | undefined): value is string {
  return typeof value === 'string' && secretReference.test(value);
}

/** The names the secret references among `values` have, each once; other values are passed over. */
export function secretNames(values: readonly (Json | undefined)[]): readonly string[] {
  const references = values.filter(isSecretReference);
  return [...new Set(references.map((reference) => reference.slice('{{ secret.'.length, -' }}'.length)))];
}

/**
 * An object that refuses other members as `must NOT have unevaluated properties` (contract 02 §2.1).
 *
 * @param also further keywords, such as conditions under which it has more members
 */
export function closed<Properties extends TProperties>(properties: Properties, also: object = {}): TObject<Properties> {
  return Type.Object(properties, { ...also, unevaluatedProperties: false });
}

/** One of `names`; an enumeration of one too, because the contract's errors list the allowed values. */
export function oneOfNames(names: readonly string[]): TSchema {
  return Type.Unsafe<string>({ type: 'string', enum: [...names] });
}

/** Exactly one of `branches`. Each that fails gives its first error, in this order; then `oneOf` (contract 04 §3). */
export function oneOf(branches: readonly TSchema[]): TSchema {
  return Type.Unsafe<unknown>({ oneOf: [...branches] });
}

/** The handles of addresses, in whichever of their two forms they come, each once (contract 00, String claims). */
export function handlesOf(addresses: readonly (Json | undefined)[]): string[] {
  const handles = addresses.map((address) => (isObject(address) ? address.handle : address));
  return [...new Set(handles.filter((handle) => typeof handle === 'string'))];
}
