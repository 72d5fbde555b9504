import type { Operator } from '@countersign/protocol';
import { type RawBuilder, sql } from 'kysely';
import { isOrderedAsBytes, toCodeUnitOrder } from './code-units.js';
import { likePattern, regexPattern } from './text-pattern-sql.js';

/** One filter of a list: all of them must match. */
export interface PathFilter {
  /** Dotted path in the record, as `data.custom.rank`. */
  readonly path: string;
  readonly operator: Operator;
  /** One value; several for `$in` and `$nin`. Text, as it came in the query; moments in UTC. */
  readonly values: readonly string[];
  /**
   * Whether the path leads to the key unique within the kind, which has a column instead of a place in the document.
   */
  readonly key?: boolean;
}

type Comparison = '$gt' | '$gte' | '$lt' | '$lte';

const SQL_COMPARISONS: Readonly<Record<Comparison, string>> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

/** Characters of a status that its index holds: clients choose statuses, and an index entry has to fit a page. */
const INDEXED_STATUS = 100;

/**
 * A filter as a condition on `record r`.
 *
 * Values are compared by the stored value's type (interface/lists#comparison): a stored number with the number the
 * text writes, a boolean with `true` or `false`, a string by code unit; a list matches when any element does.
 * `$ne` and `$nin` are the negations of `$eq` and `$in`, so they match where the field is absent.
 *
 * @param scope the outer key of the filter documents of this ledger and kind
 */
export function condition(filter: PathFilter, scope: string): RawBuilder<boolean> {
  const { path, operator, values } = filter;
  if (operator === '$ne') return sql`(${condition({ ...filter, operator: '$eq' }, scope)}) is not true`;
  if (operator === '$nin') return sql`(${condition({ ...filter, operator: '$in' }, scope)}) is not true`;
  if (filter.key) return textCondition(sql`r.handle`, operator, values);
  if (path === 'meta.domain') return textCondition(sql`r.domain`, operator, values);
  if (path === 'meta.status') return statusCondition(operator, values);
  if (path === 'meta.moment') return momentCondition(sql`r.moment`, operator, values);
  return documentCondition(`$.${JSON.stringify(scope)}.${JSON.stringify(path)}[*]`, operator, values);
}

/** A filter of a list of changes as a condition on `change c`, by what its columns hold; compared as by `condition`. */
export function changeCondition(filter: PathFilter): RawBuilder<boolean> {
  const { path, operator, values } = filter;
  if (operator === '$ne') return sql`(${changeCondition({ ...filter, operator: '$eq' })}) is not true`;
  if (operator === '$nin') return sql`(${changeCondition({ ...filter, operator: '$in' })}) is not true`;
  if (path === 'meta.action') return textCondition(sql`c.action`, operator, values);
  if (path === 'meta.moment') return momentCondition(sql`c.moment`, operator, values);
  if (path === 'meta.change') return numberCondition(sql`c.change`, operator, values);
  throw new Error(`Changes are not filtered by ${path}.`);
}

/** A filter of a list of deliveries as a condition on `delivery d`, by what its columns hold; compared as by `condition`. */
export function deliveryCondition(filter: PathFilter): RawBuilder<boolean> {
  const { path, operator, values } = filter;
  if (operator === '$ne') return sql`(${deliveryCondition({ ...filter, operator: '$eq' })}) is not true`;
  if (operator === '$nin') return sql`(${deliveryCondition({ ...filter, operator: '$in' })}) is not true`;
  if (path === 'meta.status') return textCondition(sql`d.status`, operator, values);
  if (path === 'data.linked') return textCondition(sql`d.linked`, operator, values);
  if (path === 'data.record') return textCondition(sql`d.record`, operator, values);
  throw new Error(`Deliveries are not filtered by ${path}.`);
}

/**
 * A filter of rows that have texts, and moments, only as a condition on their columns; compared as by `condition`.
 *
 * @param columns by path
 */
export function rowCondition(
  filter: PathFilter,
  columns: Readonly<Record<string, RawBuilder<string>>>,
): RawBuilder<boolean> {
  const { path, operator, values } = filter;
  if (operator === '$ne') return sql`(${rowCondition({ ...filter, operator: '$eq' }, columns)}) is not true`;
  if (operator === '$nin') return sql`(${rowCondition({ ...filter, operator: '$in' }, columns)}) is not true`;
  const column = columns[path];
  if (!column) throw new Error(`Rows are not filtered by ${path}.`);
  if (path === 'meta.moment') return momentCondition(column, operator, values);
  return textCondition(column, operator, values);
}

/** Whether the index of filter documents finds the values. */
export function isSought(filter: PathFilter): boolean {
  return !hasColumn(filter) && (filter.operator === '$eq' || filter.operator === '$in');
}

/** Whether the filter selects a contiguous range of an index in list order. */
export function isStretch({ path, operator }: PathFilter): boolean {
  if (path === 'meta.moment') return operator === '$eq' || operator in SQL_COMPARISONS;
  return (path === 'meta.status' || path === 'meta.domain') && operator === '$eq';
}

/** Whether the filter names the records by their key. */
export function isKeyFilter({ key, operator }: PathFilter): boolean {
  return key === true && (operator === '$eq' || operator === '$in');
}

function hasColumn({ path, key }: PathFilter): boolean {
  return key === true || path === 'meta.status' || path === 'meta.domain' || path === 'meta.moment';
}

/**
 * The text may stand for a string, a number or a boolean. In `@?` a comparison across types is null, so each stored
 * value is compared with the reading of its own type.
 *
 * @param elements the values found at the filter's path, in the language of `jsonpath`
 */
function documentCondition(elements: string, operator: Operator, values: readonly string[]): RawBuilder<boolean> {
  const [value = ''] = values;
  if (operator === '$eq' || operator === '$in') return matchesAny(elements, '==', values.flatMap(readings));
  if (operator === '$regex')
    return jsonPathExists(elements, `@ like_regex ${JSON.stringify(regexPattern(value))} flag "s"`);
  const comparison = operator as Comparison;
  if (isOrderedAsBytes(value)) return matchesAny(elements, SQL_COMPARISONS[comparison], readings(value));
  return hasString(elements, comparison, value);
}

function matchesAny(elements: string, sign: string, literals: readonly string[]): RawBuilder<boolean> {
  return jsonPathExists(elements, literals.map((literal) => `@ ${sign} ${literal}`).join(' || '));
}

/** @param predicate of one value, `@` */
function jsonPathExists(elements: string, predicate: string): RawBuilder<boolean> {
  return sql`r.document @? ${`${elements} ? (${predicate})`}::jsonpath`;
}

/** The possible readings of the text, as literals of `jsonpath`. */
function readings(text: string): string[] {
  const number = parseNumber(text);
  return [
    JSON.stringify(text),
    ...(number === undefined ? [] : [numberLiteral(number)]),
    ...(text === 'true' || text === 'false' ? [text] : []),
  ];
}

/** A number beyond the range of a double stays beyond all stored ones. */
function numberLiteral(number: number): string {
  if (Number.isFinite(number)) return String(number);
  return number > 0 ? '1e400' : '-1e400';
}

/** Compares strings with a value whose order differs between bytes and code units. */
function hasString(elements: string, comparison: Comparison, value: string): RawBuilder<boolean> {
  const strings = sql`jsonb_path_query(r.document, ${`${elements} ? (@.type() == "string")`}::jsonpath) as e(value)`;
  return sql`exists (select from ${strings} where ${compareText(sql`e.value #>> '{}'`, comparison, value)})`;
}

function textCondition(text: RawBuilder<string>, operator: Operator, values: readonly string[]): RawBuilder<boolean> {
  const [value = ''] = values;
  if (operator === '$eq') return sql`${text} = ${value}`;
  if (operator === '$in') return sql`${text} = any(${values}::text[])`;
  if (operator === '$regex') return sql`${text} like ${likePattern(value)} escape '\\'`;
  return compareText(text, operator as Comparison, value);
}

/** A text shorter than the index entry equals the status exactly when it equals the entry. */
function statusCondition(operator: Operator, values: readonly string[]): RawBuilder<boolean> {
  const indexed = operator === '$eq' && values.every((value) => value.length < INDEXED_STATUS);
  return textCondition(indexed ? sql`left(r.status, ${sql.lit(INDEXED_STATUS)})` : sql`r.status`, operator, values);
}

function compareText(text: RawBuilder<string>, comparison: Comparison, value: string): RawBuilder<boolean> {
  const sign = sql.raw(SQL_COMPARISONS[comparison]);
  if (isOrderedAsBytes(value)) return sql`${text} ${sign} ${value}`;
  return sql`${toCodeUnitOrder(text)} ${sign} ${toCodeUnitOrder(sql<string>`${value}::text`)}`;
}

/** `meta.moment` compares as an instant. */
function momentCondition(
  moment: RawBuilder<unknown>,
  operator: Operator,
  values: readonly string[],
): RawBuilder<boolean> {
  const [value = ''] = values;
  if (operator === '$in') return sql`${moment} = any(${values}::timestamptz[])`;
  return sql`${moment} ${sql.raw(operator === '$eq' ? '=' : SQL_COMPARISONS[operator as Comparison])} ${value}::timestamptz`;
}

/** Only numbers compare with a number; other texts and patterns match nothing. */
function numberCondition(
  number: RawBuilder<number>,
  operator: Operator,
  values: readonly string[],
): RawBuilder<boolean> {
  if (operator === '$regex') return sql`false`;
  const numbers = values.map(parseNumber).filter((value) => value !== undefined);
  const sign = operator === '$eq' || operator === '$in' ? '=' : SQL_COMPARISONS[operator as Comparison];
  return sql`${number} ${sql.raw(sign)} any(${numbers}::float8[])`;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The number a text writes in decimal, in whatever form: `100`, `1e2`, `100.0`, `-0`. */
function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}
