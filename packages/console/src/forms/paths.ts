import { isObject, type Json, type JsonObject } from '@countersign/protocol';

/** The way to a value within another one. */
export type Path = readonly (string | number)[];

/** A value with another one in the place of a path; undefined takes what is there away. */
export function putAt(value: Json | undefined, path: Path, put: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return put;
  if (typeof step === 'number') {
    const items = Array.isArray(value) ? [...value] : [];
    const now = putAt(items[step], rest, put);
    if (now === undefined) items.splice(step, 1);
    else items[step] = now;
    return items;
  }
  const members: JsonObject = isObject(value as Json) ? { ...(value as JsonObject) } : {};
  const now = putAt(Object.hasOwn(members, step) ? members[step] : undefined, rest, put);
  if (now === undefined) delete members[step];
  else Object.defineProperty(members, step, { value: now, enumerable: true, configurable: true, writable: true });
  return members;
}

/** The member of an object, if it is its own. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value as Json) && Object.hasOwn(value as JsonObject, name) ? (value as JsonObject)[name] : undefined;
}

/** As a JSON pointer (RFC 6901), as errors of schemas name places. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}
