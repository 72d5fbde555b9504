/**
 * Text that may go to a terminal, on one line. What a server sends may hold control characters, by which it could move the
 * cursor, overwrite what was shown, reorder it, or begin a line of its own making: they are shown as escapes.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * JSON that may go to a terminal: the same characters are escaped, which leaves its meaning. A line feed stands between its tokens only.
 *
 * @param space as `JSON.stringify` takes it
 */
export function printableJson(value: unknown, space?: number): string {
  return JSON.stringify(value, undefined, space).split('\n').map(printable).join('\n');
}

/** Controls, separators of lines, and the characters that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
