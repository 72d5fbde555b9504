import { isPlain } from './array-literal.js';

/** The value of a column; an array is given as PostgreSQL writes it. */
export type ColumnValue = string | number | boolean | null | undefined;

/** The values of a row, by the names of columns; `ord` is the position that the row belongs to. */
export type Columns<Row> = Readonly<Record<string, (row: Row, ord: number | null) => ColumnValue>>;

/** Writes rows as an array. @param ords the positions they belong to; their own, from 1, unless given */
export type RowsToArray<Row> = (rows: readonly Row[], ords?: readonly (number | null)[]) => string;

/**
 * Writes arrays of a composite type, as parameters. Its columns are declared once, in the SQL that makes the type.
 *
 * @param sql has `create type <type> as (...)`
 * @throws Error where the names of columns differ
 */
export function rowsOf<Row>(sql: string, type: string, columns: Columns<Row>): RowsToArray<Row> {
  const names = columnsOf(sql, type);
  const given = Object.keys(columns);
  if (names.length !== given.length || !names.every((name) => columns[name]))
    throw new Error(`The columns of ${type} are ${names.join(', ')}, not ${given.join(', ')}.`);
  const values = names.map((name) => columns[name]!);
  return (rows, ords) => {
    let text = '{';
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index]!;
      const ord = ords ? ords[index]! : index + 1;
      text += index > 0 ? ',"(' : '"(';
      for (let at = 0; at < values.length; at += 1) {
        if (at > 0) text += ',';
        text += writeValue(values[at]!(row, ord));
      }
      text += ')"';
    }
    return `${text}}`;
  };
}

/** The names of a type's columns, in order. */
function columnsOf(sql: string, type: string): string[] {
  const [, body] = new RegExp(`create type ${type} as \\(([\\s\\S]*?)\\);`).exec(sql) ?? [];
  if (body === undefined) throw new Error(`No type ${type} is made.`);
  const columns = body.replace(/--.*$/gm, '').split(',');
  return columns.map((column) => column.trim().split(' ')[0]!);
}

/** A value inside a row, which is an element of an array in quotes: what is special is escaped for both. */
function writeValue(value: ColumnValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw new TypeError('A column takes no other value.');
  if (isPlain(value)) return value;
  return `\\"${value.replace(SPECIAL, (character) => (character === '"' ? '\\\\\\"' : '\\\\\\\\'))}\\"`;
}

const SPECIAL = /["\\]/g;
