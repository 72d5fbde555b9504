import { isObject } from '@countersign/protocol';

/**
 * Whether two values that JSON was read into are written alike, members in the same order: as if their texts were compared,
 * and without writing them.
 */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSameJson(item, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = membersWithValue(one);
  const others = membersWithValue(other);
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && isSameJson(one[name], other[name]))
  );
}

/** Members that are `undefined` are not written. */
function membersWithValue(value: object): string[] {
  const names = Object.keys(value);
  return names.every((name) => (value as Record<string, unknown>)[name] !== undefined)
    ? names
    : names.filter((name) => (value as Record<string, unknown>)[name] !== undefined);
}
