/** A call of a function of the database, by the names of its parameters; each connection plans it once. */
export function callOf(name: string, parameters: Readonly<Record<string, unknown>>) {
  const named = Object.keys(parameters).map((parameter, index) => `${parameter} => $${index + 1}`);
  return { name, text: `select * from ${name}(${named.join(', ')})`, values: Object.values(parameters) };
}

/** The number PostgreSQL gives the type `text`. */
const TEXT_OID = 25;

/**
 * A `text[]` in the binary form of PostgreSQL's protocol, which the driver passes on unchanged. For an array in text
 * form, each element is searched for characters to escape on this side and parsed on the other: for long texts full of
 * quotes, such as JSON, that takes eight times as long.
 */
export function textArray(values: readonly string[]): Buffer {
  const lengths = values.map((value) => Buffer.byteLength(value));
  // Dimensions, whether there are nulls, the type; for the one dimension its length and its first index.
  const head = values.length === 0 ? [0, 0, TEXT_OID] : [1, 0, TEXT_OID, values.length, 1];
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 4 * head.length));
  let at = 0;
  for (const number of head) at = bytes.writeInt32BE(number, at);
  values.forEach((value, index) => {
    at = bytes.writeInt32BE(lengths[index]!, at);
    at += bytes.write(value, at);
  });
  return bytes;
}

/** The number PostgreSQL gives the type `bytea`. */
const BYTEA_OID = 17;

/**
 * A `bytea[]` in the binary form of PostgreSQL's protocol, which the driver passes on unchanged: in text form, each byte is two
 * digits.
 */
export function bytesArray(values: readonly (Uint8Array | null)[]): Buffer {
  // Dimensions, whether there are nulls, the type; for the one dimension its length and its first index.
  const head =
    values.length === 0 ? [0, 0, BYTEA_OID] : [1, values.includes(null) ? 1 : 0, BYTEA_OID, values.length, 1];
  const bytes = Buffer.allocUnsafe(values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 4 * head.length));
  let at = 0;
  for (const number of head) at = bytes.writeInt32BE(number, at);
  for (const value of values) {
    at = bytes.writeInt32BE(value?.length ?? -1, at);
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

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
        text += writeRowValue(values[at]!(row, ord));
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
function writeRowValue(value: ColumnValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw new TypeError('A column takes no other value.');
  if (PLAIN_TEXT.test(value)) return value;
  return `\\"${value.replace(SPECIAL, (character) => (character === '"' ? '\\\\\\"' : '\\\\\\\\'))}\\"`;
}

/** Texts that need no quotes in a row. */
const PLAIN_TEXT = /^[\w.:$+/=-]+$/;

const SPECIAL = /["\\]/g;
