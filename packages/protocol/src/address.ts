const CHARACTER = '[A-Za-z0-9_+.-]';
const PART = `${CHARACTER}+`;

/** A part that is neither `.` nor `..`, which lead elsewhere in a path. Look-ahead would say it shorter; RE2 has none. */
const NAME = `(?:\\.?[A-Za-z0-9_+-]${CHARACTER}*|\\.\\.${PART})`;

/**
 * Source of a pattern for handles, `[schema:]name(@part)*` (interface/envelope#handles). What it repeats begins with an
 * `@`, which no part holds, so any regex engine runs it in linear time. How long a handle may be is the server's to say.
 */
export const HANDLE_PATTERN = `^(?:${PART}:)?${NAME}(?:@${PART})*$`;

const HANDLE = new RegExp(`^(?:(${PART}):)?(${NAME})(?:@(${PART}(?:@${PART})*))?$`);

/** The parts of a handle; those it does not have are absent. */
export interface Address {
  readonly schema?: string;
  readonly name: string;
  /** All that follows the first `@`: itself a handle, where that has several parts. */
  readonly parent?: string;
}

/** The parts of `text`, or undefined when it is no handle (interface/envelope#handles). */
export function parseAddress(text: string): Address | undefined {
  const match = HANDLE.exec(text);
  if (match === null) return undefined;
  const [, schema, name, parent] = match;
  return {
    ...(schema !== undefined && { schema }),
    name: name!,
    ...(parent !== undefined && { parent }),
  };
}

/** What follows the `@` of a handle that has exactly one, with something after it: the domain it may belong to. */
export function domainOf(handle: string): string | undefined {
  const at = handle.indexOf('@');
  if (at === -1 || at === handle.length - 1 || handle.includes('@', at + 1)) return undefined;
  return handle.slice(at + 1);
}
