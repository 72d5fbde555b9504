/** How a filter compares (interface/lists#operators). */
export const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$regex'] as const;

export type Operator = (typeof OPERATORS)[number];

/** The parsed key of a filter. The server checks which paths a kind allows. */
export interface FilterKey {
  /** The steps to the field in the record as served: `['data', 'custom', 'city']`. Numeric steps are kept as text. */
  readonly path: string[];
  readonly operator: Operator;
  /** The place in the set, for a set sent one parameter per element: `$in[2]`. Absent for `$in[]` and plain `$in`. */
  readonly element?: number;
}

/** The place of an element: at most six digits, which suffice for every set and are exact as a number. */
const ELEMENT = /^\d{1,6}$/;

/**
 * Reads the key of a filter, already percent-decoded: `<path>`, `<path>.<operator>`, `<path>.$in[0]`, `<path>.$in[]`,
 * each step also in brackets, `data[handle][$eq]` (interface/lists#filters). Undefined when the syntax is wrong or the
 * operator unknown, `$and` and `$or` included.
 */
export function parseFilterKey(key: string): FilterKey | undefined {
  const steps = stepsOf(key);
  if (steps === undefined) return undefined;
  const from = steps.findIndex((step) => step.startsWith('$'));
  const path = from === -1 ? steps : steps.slice(0, from);
  if (path.length === 0 || path.includes('')) return undefined;
  if (from === -1) return { path, operator: '$eq' };

  const operator = steps[from]!;
  if (!isOperator(operator)) return undefined;
  const [place, ...more] = steps.slice(from + 1);
  if (place === undefined) return { path, operator };
  if (more.length > 0 || (operator !== '$in' && operator !== '$nin')) return undefined;
  if (place === '') return { path, operator };
  return ELEMENT.test(place) ? { path, operator, element: Number(place) } : undefined;
}

function isOperator(text: string): text is Operator {
  return (OPERATORS as readonly string[]).includes(text);
}

/** The steps of a dotted key with brackets, `a.b[c][]` as a, b, c and an empty one; undefined for unpaired brackets. */
function stepsOf(key: string): string[] | undefined {
  const open = key.indexOf('[');
  const dotted = open === -1 ? key : key.slice(0, open);
  if (dotted.includes(']')) return undefined;
  const steps = dotted.split('.');
  // A dot after `]` goes on with dotted steps, as in `data[claims][0].amount`.
  for (let at = open; at !== -1 && at < key.length; ) {
    if (key[at] === '[') {
      const close = key.indexOf(']', at);
      const step = key.slice(at + 1, close);
      if (close === -1 || step.includes('[')) return undefined;
      steps.push(step);
      at = close + 1;
    } else if (key[at] === '.') {
      const next = key.indexOf('[', at);
      const end = next === -1 ? key.length : next;
      const plain = key.slice(at + 1, end);
      if (plain.includes(']')) return undefined;
      steps.push(...plain.split('.'));
      at = end;
    } else return undefined;
  }
  return steps;
}
