const CHARACTER = '[A-Za-z0-9_+.-]';
const PART = `${CHARACTER}+`;

/** A part other than `.` and `..`, which lead elsewhere in a path. Written out, since RE2 lacks look-ahead. */
const NAME_PATTERN = `(?:\\.?[A-Za-z0-9_+-]${CHARACTER}*|\\.\\.${PART})`;

/**
 * Source of a pattern for handles, `[schema:]name(@part)*` (interface/envelope#handles). What it repeats begins with an
 * `@`, which parts exclude, so any regex engine runs it in linear time. The server bounds the length of handles.
 */
export const HANDLE_PATTERN = `^(?:${PART}:)?${NAME_PATTERN}(?:@${PART})*$`;

const ADDRESS_PATTERN = new RegExp(`^(?:(${PART}):)?(${NAME_PATTERN})(?:@(${PART}(?:@${PART})*))?$`);

/** The parts of a handle; missing ones are absent. */
export interface Address {
  readonly schema?: string;
  readonly name: string;
  /** All that follows the first `@`: itself a handle, where that has several parts. */
  readonly parent?: string;
}

/** The parts of `text`; undefined unless it is a handle (interface/envelope#handles). */
export function parseAddress(text: string): Address | undefined {
  const match = ADDRESS_PATTERN.exec(text);
  if (match === null) return undefined;
  const [, schema, name, parent] = match;
  return {
    ...(schema !== undefined && { schema }),
    name: name!,
    ...(parent !== undefined && { parent }),
  };
}

/** The domain a handle may belong to: the text after its `@`. Undefined unless it has one `@`, followed by text. */
export function domainOf(handle: string): string | undefined {
  const at = handle.indexOf('@');
  if (at === -1 || at === handle.length - 1 || handle.includes('@', at + 1)) return undefined;
  return handle.slice(at + 1);
}
