import { ANY_CHARACTER, type Piece, parseTextPattern } from '../base/text-pattern.js';
import type { Cost } from '../metering/cost.js';

/** A piece of a pattern, ready to be searched for. */
interface Needle {
  /** The characters it begins with: the engine searches for them. */
  readonly head: string;
  /** The code points that follow, compared one by one; `WILD` for any. */
  readonly rest: Int32Array;
}

/** A pattern of `$regex`, ready to be searched for (interface/lists). */
export type TextMatcher = readonly Needle[];

/** Stands for any one code point. */
const WILD = -1;

/**
 * Characters that are searched for in one go. Up to 250, the engine looks at each character at most about twice,
 * whatever the text; with a longer needle it may start again at every position.
 */
const SEARCH_CHUNK = 200;

/** Characters searched through, and characters compared one by one, per step. */
const SEARCHED_PER_STEP = 32;
const COMPARED = 8;

/** Compiles the text of `$regex`. */
export function compileTextMatcher(pattern: string): TextMatcher {
  return parseTextPattern(pattern)
    .filter((piece) => piece.length > 0)
    .map(needleOf);
}

function needleOf(piece: Piece): Needle {
  let head = '';
  let taken = 0;
  for (const character of piece) {
    if (character === ANY_CHARACTER || head.length >= SEARCH_CHUNK) break;
    head += character;
    taken += 1;
  }
  return {
    head,
    rest: Int32Array.from(piece.slice(taken), (character) =>
      character === ANY_CHARACTER ? WILD : (character.codePointAt(0) ?? 0),
    ),
  };
}

/**
 * Whether the pattern occurs anywhere in `text`. Each piece is taken at its first occurrence after the one before,
 * which finds the pattern whenever it occurs.
 *
 * @param cost charged for the characters that are read; its errors are the only ones thrown
 */
export function findsIn(matcher: TextMatcher, text: string, cost: Cost): boolean {
  let at = 0;
  for (const needle of matcher) {
    at = endOfNeedle(needle, text, at, cost);
    if (at < 0) return false;
  }
  return true;
}

/** Where the first match of the needle at or after `from` ends; -1 when it does not occur. */
function endOfNeedle({ head, rest }: Needle, text: string, from: number, cost: Cost): number {
  let characters = COMPARED;
  for (let at = from; at <= text.length; at += 1) {
    const found = text.indexOf(head, at);
    characters += ((found < 0 ? text.length : found) - at) / (SEARCHED_PER_STEP / COMPARED);
    if (found < 0) break;
    const compared = compareFrom(rest, text, found + head.length);
    characters += 1 + compared.count;
    if (compared.end >= 0 && !splitsSurrogatePair(text, found)) {
      cost.spend(characters / COMPARED);
      return compared.end;
    }
    at = found;
    if (characters > CHARGED) {
      cost.spend(characters / COMPARED);
      characters = 0;
    }
  }
  cost.spend(characters / COMPARED);
  return -1;
}

/** Characters after which the cost is charged while the search goes on. */
const CHARGED = 1_000;

/** Where `rest` ends when it stands at the place, else -1; and how many characters were compared. */
function compareFrom(rest: Int32Array, text: string, from: number): { end: number; count: number } {
  if (splitsSurrogatePair(text, from)) return { end: -1, count: 0 };
  let at = from;
  for (let count = 0; count < rest.length; count += 1) {
    const point = text.codePointAt(at);
    if (point === undefined || (rest[count] !== WILD && rest[count] !== point)) return { end: -1, count };
    at += point > 0xffff ? 2 : 1;
  }
  return { end: at, count: rest.length };
}

/** Whether the place is between the halves of a surrogate pair. */
function splitsSurrogatePair(text: string, at: number): boolean {
  return isHalf(text.charCodeAt(at), 0xdc00) && isHalf(text.charCodeAt(at - 1), 0xd800);
}

function isHalf(unit: number, first: 0xd800 | 0xdc00): boolean {
  return unit >= first && unit < first + 0x400;
}
