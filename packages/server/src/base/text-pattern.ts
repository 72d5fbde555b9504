/** Stands for any one character. */
export const ANY_CHARACTER = Symbol('any character');

/** A run of characters, each the one given or any. */
export type Piece = readonly (string | typeof ANY_CHARACTER)[];

/**
 * A parsed pattern of `$regex`: pieces, possibly empty, with any run of characters between each two. A text matches where
 * the pieces occur in it one after the other.
 */
export type TextPattern = readonly Piece[];

/**
 * Parses the text of `$regex` (interface/lists): `.*` and `%` stand for any run of characters, `.` and `_` for one, and
 * `\` makes the next character stand for itself, as all others do. Every text is a pattern.
 */
export function parseTextPattern(text: string): TextPattern {
  const pieces: (string | typeof ANY_CHARACTER)[][] = [[]];
  for (const [token, escaped] of text.matchAll(/\\(.)|\.\*|./gsu)) {
    if (escaped === undefined && (token === '.*' || token === '%')) pieces.push([]);
    else if (escaped === undefined && (token === '.' || token === '_')) pieces.at(-1)?.push(ANY_CHARACTER);
    else pieces.at(-1)?.push(escaped ?? token);
  }
  return pieces;
}
