import { configure } from 'safe-stable-stringify';
import type { Json } from './json.js';

/** `strict` refuses what JSON lacks (NaN, bigint, functions, cycles) instead of writing something in its place. */
const stringify = configure({ strict: true, deterministic: true });

/** An escape that `JSON.stringify` writes for lone surrogates only, after an even number of backslashes. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud/;

/**
 * The canonical form of `value`, on which every hash is made: RFC 8785 (interface/envelope#canonical-json). Members that
 * are `undefined` are left out; values with a `toJSON` method stand for its result.
 *
 * @throws TypeError for what JSON excludes: NaN, infinities, bigints, functions, cycles, lone surrogates, and values
 *   nested too deeply for the call stack
 */
export function canonical(value: Json): string {
  let text: string | undefined;
  try {
    text = stringify(value);
  } catch (error) {
    throw new TypeError('The value is not JSON', { cause: error });
  }
  if (text === undefined) throw new TypeError('The value is not JSON');
  if (text.includes('\\ud') && LONE_SURROGATE.test(text)) {
    throw new TypeError('The value is not JSON: it holds a lone surrogate');
  }
  return text;
}
