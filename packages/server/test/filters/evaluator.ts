import type { Json, RecordEnvelope } from '@countersign/protocol';

/** A filter as a client means it. */
export interface MeantFilter {
  readonly path: string;
  readonly operator: string;
  /** One, but for `$in` and `$nin`. */
  readonly values: readonly string[];
}

/**
 * Whether a served record matches a filter: interface/lists#filters read word for word, one record at a time. It shares
 * nothing with the server.
 */
export function evaluate(record: RecordEnvelope, { path, operator, values }: MeantFilter): boolean {
  const found = valuesAt(withAddresses(record), path.split('.'));
  const some = (test: (actual: Json, value: string) => boolean) =>
    found.some((actual) => values.some((value) => test(actual, value)));
  const equal = path === 'meta.moment' ? isSameInstant : isEqual;
  switch (operator) {
    case '$eq':
    case '$in':
      return some(equal);
    case '$ne':
    case '$nin':
      return !some(equal);
    case '$regex':
      return some((actual, value) => typeof actual === 'string' && contains(actual, value));
    default:
      return some((actual, value) => {
        const order = path === 'meta.moment' ? instants(actual, value) : compare(actual, value);
        return order !== undefined && ORDERS[operator]?.(order) === true;
      });
  }
}

/** The record with every address of its claims as an object (interface/intents#claims). */
function withAddresses(record: RecordEnvelope): Json {
  const { claims } = record.data as { claims?: Record<string, Json>[] };
  if (!claims) return record as unknown as Json;
  const addressed = claims.map((claim) =>
    Object.fromEntries(
      Object.entries(claim).map(([member, value]) => [
        member,
        ['source', 'target', 'symbol'].includes(member) && typeof value === 'string' ? { handle: value } : value,
      ]),
    ),
  );
  return { ...record, data: { ...record.data, claims: addressed } } as unknown as Json;
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

/** The values a path leads to. Members may have dots in their names; a list offers each element, or the one named. */
function valuesAt(node: Json | undefined, path: readonly string[]): Json[] {
  if (node === undefined) return [];
  if (Array.isArray(node)) {
    const [first = '', ...others] = path;
    const named = /^\d+$/.test(first) ? valuesAt(node[Number(first)], others) : [];
    return [...named, ...node.flatMap((element) => valuesAt(element, path))];
  }
  if (typeof node !== 'object' || node === null) return path.length === 0 ? [node] : [];
  return path.flatMap((_, index) => {
    const member = path.slice(0, index + 1).join('.');
    return Object.hasOwn(node, member) ? valuesAt(node[member], path.slice(index + 1)) : [];
  });
}

function isEqual(actual: Json, value: string): boolean {
  return compare(actual, value) === 0;
}

/** By the type of the stored value; nothing where the text is none of that type. */
function compare(actual: Json, value: string): number | undefined {
  if (typeof actual === 'string') return order(actual, value);
  if (typeof actual === 'number') {
    return /^[-+]?(\d+|\d+\.\d*|\.\d+)([eE][-+]?\d+)?$/.test(value) ? order(actual, Number(value)) : undefined;
  }
  if (typeof actual === 'boolean') {
    return value === 'true' || value === 'false' ? order(actual, value === 'true') : undefined;
  }
  return undefined;
}

function order<T extends string | number | boolean>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function instants(actual: Json, value: string): number {
  return order(Date.parse(String(actual)), Date.parse(value));
}

function isSameInstant(actual: Json, value: string): boolean {
  return instants(actual, value) === 0;
}

type Step = 'run' | 'one' | { readonly literal: string };

/** `LIKE '%…%'` by the table of what the first steps match of the first characters. */
function contains(text: string, pattern: string): boolean {
  const characters = [...text];
  const steps: Step[] = ['run', ...stepsOf([...pattern]), 'run'];
  let reached = characters.map(() => false);
  reached.unshift(true);
  for (const step of steps) {
    const next = reached.map(() => false);
    for (let at = 0; at < reached.length; at += 1) {
      if (step === 'run') next[at] = reached[at] === true || (at > 0 && next[at - 1] === true);
      else if (at > 0 && reached[at - 1] === true) next[at] = step === 'one' || step.literal === characters[at - 1];
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

function stepsOf(pattern: readonly string[]): Step[] {
  const [first, second] = pattern;
  if (first === undefined) return [];
  if (first === '\\') return [{ literal: second ?? '\\' }, ...stepsOf(pattern.slice(2))];
  if (first === '.' && second === '*') return ['run', ...stepsOf(pattern.slice(2))];
  if (first === '%') return ['run', ...stepsOf(pattern.slice(1))];
  if (first === '.' || first === '_') return ['one', ...stepsOf(pattern.slice(1))];
  return [{ literal: first }, ...stepsOf(pattern.slice(1))];
}
