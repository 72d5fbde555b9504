import type { JsonBounds } from './json.js';
import { parseStrictly } from './json-reader.js';
import { hasEscapedName } from './json-text.js';

/** The engine's own, also where a program replaces it later. */
const originalParse = JSON.parse as (text: string) => unknown;

/**
 * Reads JSON as `JSON.parse` does, and right under engines that misread it: those of Node.js 23 to 26 can take a member's name
 * that is written with an escape for another one that they have read before. They are given no text that has such a name
 * (decision 0001).
 *
 * @param bounds past which a text that the engine is not given is left unread, as that takes a few times as long; the engine's own
 *   reading goes to the end
 * @throws SyntaxError for what is no JSON
 * @throws BeyondBounds
 */
export function readJson(text: string, bounds?: JsonBounds): unknown {
  return hasEscapedName(text) ? parseStrictly(text, bounds) : originalParse(text);
}
