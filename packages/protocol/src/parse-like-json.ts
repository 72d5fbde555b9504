import { hasEscapedName } from './json-text.js';
import { readJson } from './read-json.js';

type Reviver = (this: unknown, key: string, value: unknown, context?: object) => unknown;

const engineParse = JSON.parse;

/**
 * Takes the place of `JSON.parse`: what its specification asks for, read by `readJson`. A reviver is told no source text of a
 * value where a name is written with an escape.
 */
export function parseLikeJson(text: string, reviver?: Reviver): unknown {
  const given = `${text}`;
  if (typeof reviver !== 'function') return readJson(given);
  return hasEscapedName(given) ? revive({ '': readJson(given) }, '', reviver) : engineParse(given, reviver);
}

/** `InternalizeJSONProperty` of ECMAScript: the value of a member, once those within it are revived. */
function revive(holder: Record<string, unknown>, key: string, reviver: Reviver): unknown {
  const value = holder[key];
  if (typeof value === 'object' && value !== null) {
    const within = value as Record<string, unknown>;
    // What the reviver adds is not revived.
    const names = Array.isArray(value) ? Array.from(value.keys(), String) : Object.keys(value);
    for (const name of names) reviveMember(within, name, reviver);
  }
  return reviver.call(holder, key, value, {});
}

function reviveMember(holder: Record<string, unknown>, name: string, reviver: Reviver): void {
  const value = revive(holder, name, reviver);
  if (value === undefined) Reflect.deleteProperty(holder, name);
  else Reflect.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}
