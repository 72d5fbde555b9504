import { type RawBuilder, sql } from 'kysely';

/** The operators of list filters (contract 01 §10, 06 §7). */
export type Operator = '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte' | '$in' | '$nin' | '$regex';

/** One filter of a list: all of them must match. */
export interface Filter {
  /** Dotted path in the record, as `data.custom.rank`. */
  readonly path: string;
  readonly operator: Operator;
  /** One value; several for `$in` and `$nin`. Text, as it came in the query. */
  readonly values: readonly string[];
}

/** Paths that have a column of their own. */
const COLUMNS: Readonly<Record<string, string>> = { 'meta.status': 'status', 'meta.domain': 'domain' };

const COMPARISONS = { $gt: sql`>`, $gte: sql`>=`, $lt: sql`<`, $lte: sql`<=` } as const;

/**
 * A filter as a condition on `record r`.
 *
 * Values are compared by the stored value's type (contract 01 §10, Value typing): a stored number with the number the
 * text writes, a boolean with `true` or `false`, a string by code point; a list matches when any element does.
 * `$ne` and `$nin` are the negations of `$eq` and `$in`, so they match where the field is absent.
 *
 * @param scope the outer key of the filter documents of this ledger and kind
 */
export function condition(filter: Filter, scope: string): RawBuilder<boolean> {
  const { operator, values } = filter;
  if (operator === '$ne') return sql`not (${condition({ ...filter, operator: '$eq' }, scope)})`;
  if (operator === '$nin') return sql`not (${condition({ ...filter, operator: '$in' }, scope)})`;
  if (filter.path === 'meta.moment') return momentCondition(operator, values);
  const column = COLUMNS[filter.path];
  if (column) return textCondition(sql`coalesce(r.${sql.ref(column)}, '')`, operator, values, sql.ref(`r.${column}`));
  if (operator === '$eq' || operator === '$in')
    return any(values.flatMap((value) => contains(scope, filter.path, value)));
  const elements = sql`jsonb_array_elements(r.document -> ${scope} -> ${filter.path}) as e(value)`;
  return sql`exists (select from ${elements} where ${elementCondition(operator, values[0] ?? '')})`;
}

/** Containment in the indexed document, once for each type the text may stand for. */
function contains(scope: string, path: string, value: string): RawBuilder<boolean>[] {
  const readings: unknown[] = [value];
  const number = numberOf(value);
  if (number !== undefined) readings.push(number);
  if (value === 'true' || value === 'false') readings.push(value === 'true');
  return readings.map((reading) => sql`r.document @> ${JSON.stringify({ [scope]: { [path]: [reading] } })}::jsonb`);
}

function elementCondition(operator: Operator, value: string): RawBuilder<boolean> {
  const text = sql`(e.value #>> '{}') collate "C"`;
  if (operator === '$regex') {
    return sql`jsonb_typeof(e.value) = 'string' and ${text} like ${likePattern(value)} escape '\\'`;
  }
  const comparison = COMPARISONS[operator as keyof typeof COMPARISONS];
  const number = numberOf(value);
  const numeric = number === undefined ? sql`false` : sql`(e.value)::numeric ${comparison} ${String(number)}::numeric`;
  return sql`case jsonb_typeof(e.value)
    when 'number' then ${numeric}
    when 'null' then false
    else ${text} ${comparison} ${value} end`;
}

function textCondition(
  text: RawBuilder<unknown>,
  operator: Operator,
  values: readonly string[],
  column: RawBuilder<unknown>,
): RawBuilder<boolean> {
  if (operator === '$eq' || operator === '$in') {
    return sql`(${column} is not null and ${column} = any(${values}::text[]))`;
  }
  if (operator === '$regex') return sql`${text} like ${likePattern(values[0] ?? '')} escape '\\'`;
  const comparison = COMPARISONS[operator as keyof typeof COMPARISONS];
  return sql`(${column} is not null and ${column} ${comparison} ${values[0] ?? ''})`;
}

/** `meta.moment` compares as an instant; its values are ISO 8601 texts, checked before. */
function momentCondition(operator: Operator, values: readonly string[]): RawBuilder<boolean> {
  if (operator === '$eq' || operator === '$in') return sql`r.moment = any(${values}::timestamptz[])`;
  const comparison = COMPARISONS[operator as keyof typeof COMPARISONS];
  return sql`r.moment ${comparison} ${values[0] ?? ''}::timestamptz`;
}

function any(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function numberOf(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/**
 * `$regex` is a substring match: `.*` and `%` stand for any run, `.` and `_` for one character, `\` escapes
 * (contract 01 §10). Everything else is itself.
 */
export function likePattern(value: string): string {
  let pattern = '';
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] as string;
    if (character === '\\') {
      at += 1;
      pattern += `\\${value[at] ?? '\\'}`;
    } else if (character === '.' && value[at + 1] === '*') {
      at += 1;
      pattern += '%';
    } else if (character === '.') pattern += '_';
    else pattern += character;
  }
  return `%${pattern}%`;
}
