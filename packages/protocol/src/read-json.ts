import { readStrictly } from './json-reader.js';
import { hasEscapedName } from './json-text.js';

/** The engine's own, also where a program replaces it later. */
const native = JSON.parse as (text: string) => unknown;

/**
 * Reads JSON as `JSON.parse` does, and right under engines that misread it: those of Node.js 23 to 26 can take a member's name
 * that is written with an escape for another one that they have read before. They are given no text that has such a name
 * (decision 0040).
 *
 * @throws SyntaxError for what is no JSON
 */
export function readJson(text: string): unknown {
  return hasEscapedName(text) ? readStrictly(text) : native(text);
}
