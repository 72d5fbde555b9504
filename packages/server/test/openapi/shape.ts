/**
 * What a value is made of, without what differs from run to run: the members of objects, the shapes of elements each once,
 * and of texts what they look like.
 */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shapes = value.map((one) => JSON.stringify(shapeOf(one)));
    return { elements: [...new Set(shapes)].sort() };
  }
  if (typeof value === 'string') return looksOf(value);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, inner]) => [name, shapeOf(inner)]));
}

const LOOKS: readonly (readonly [look: string, pattern: RegExp])[] = [
  ['hash', /^[0-9a-f]{64}$/],
  ['luid', /^\$[a-z]{3}\.[\w-]{17}$/],
  ['moment', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/],
  ['key', /^[A-Za-z0-9+/]{43}=$/],
  ['signature', /^[A-Za-z0-9+/]{86}==$/],
];

function looksOf(text: string): string {
  return LOOKS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}
