/** A member of data that two versions differ in. */
export interface Difference {
  /** As in `custom.tier`. */
  readonly path: string;
  /** Undefined where the member is not there. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Differences that are told of two versions. */
const MOST_DIFFERENCES = 200;

/** Members that every update changes: the hash of the version before. */
const LEFT_OUT = new Set(['parent']);

/** What differs between the data of two versions, down to the members that have no members of their own. */
export function differencesOf(before: object, after: object): Difference[] {
  const found: Difference[] = [];
  collect(before, after, [], found);
  return found.filter(({ path }) => !LEFT_OUT.has(path)).slice(0, MOST_DIFFERENCES);
}

function collect(before: unknown, after: unknown, path: readonly string[], found: Difference[]): void {
  if (found.length > MOST_DIFFERENCES) return;
  if (isParent(before) && isParent(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const name of names) collect(own(before, name), own(after, name), [...path, name], found);
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    found.push({ path: path.join('.'), before, after });
  }
}

function isParent(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
