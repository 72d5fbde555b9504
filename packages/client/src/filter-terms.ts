/** One condition of a filter (interface/lists#operators). */
export interface FilterTerm {
  readonly path: string;
  /** `$eq` where none is written. */
  readonly operator: string;
  readonly value: string | readonly string[];
}

/** Reads `path=value` or `path.$operator=value`, with commas between the values of `$in` and `$nin`; undefined for other texts. */
export function parseFilterTerm(text: string): FilterTerm | undefined {
  const at = text.indexOf('=');
  if (at < 1) return undefined;
  const [path, operator] = splitFilterKey(text.slice(0, at));
  const value = text.slice(at + 1);
  return { path, operator, value: operator === '$in' || operator === '$nin' ? value.split(',') : value };
}

/** `meta.status.$in` names an operator, `meta.status` means `$eq`. */
export function splitFilterKey(key: string): [path: string, operator: string] {
  const [, path, operator] = /^(.+)\.(\$[A-Za-z]+)$/.exec(key) ?? [];
  return path === undefined || operator === undefined ? [key, '$eq'] : [path, operator];
}

/** Whether a list can be filtered by a path: that of a member, or below it; of arrays it may name an element (interface/lists#filters). */
export function isFilterable(path: string, members: readonly string[]): boolean {
  const plain = path.replace(/\[([^\]]*)\]/g, '.$1').replace(/\.\d+(?=\.|$)/g, '');
  return members.some((member) => `${plain}.`.startsWith(member.endsWith('.*') ? member.slice(0, -1) : `${member}.`));
}
