import { type Step, stepsOf } from '../base/like.js';
import type { Cost } from '../work/cost.js';

/** What stands between two runs of a pattern. */
interface Piece {
  /** The characters it begins with: they are searched for. */
  readonly head: string;
  /** What follows them, compared one by one: code points, and `ANY`. */
  readonly rest: readonly number[];
}

/** A pattern of `$regex`, ready to be searched for (contract 01 §10). */
export type Like = readonly Piece[];

/** Stands for any one character. */
const ANY = -1;

/**
 * Characters that are searched for in one go. Up to 250, the engine's search looks at no character more than about
 * twice, whatever the text; longer ones it may compare anew at every place.
 */
const HEAD = 200;

/** Characters searched through, and characters compared one by one, that count as a step. */
const SEARCHED = 32;
const COMPARED = 8;

/** Makes a pattern of the text of `$regex`. */
export function likeOf(pattern: string): Like {
  const pieces: Step[][] = [[]];
  for (const step of stepsOf(pattern)) {
    if ('any' in step && step.any === 'run') pieces.push([]);
    else pieces.at(-1)?.push(step);
  }
  return pieces.filter((steps) => steps.length > 0).map(pieceOf);
}

function pieceOf(steps: readonly Step[]): Piece {
  let head = '';
  let taken = 0;
  for (const step of steps) {
    if (!('literal' in step) || head.length >= HEAD) break;
    head += step.literal;
    taken += 1;
  }
  return {
    head,
    rest: steps.slice(taken).map((step) => ('literal' in step ? (step.literal.codePointAt(0) ?? 0) : ANY)),
  };
}

/**
 * Whether the pattern is found anywhere in `text`. Each piece is taken where it is found first, after the one before: if
 * the pattern can be found at all, it is found so.
 */
export function isFound(like: Like, text: string, cost: Cost): boolean {
  let at = 0;
  for (const piece of like) {
    at = endOf(piece, text, at, cost);
    if (at < 0) return false;
  }
  return true;
}

/** Where the first match of the piece from a place on ends; -1 without one. */
function endOf({ head, rest }: Piece, text: string, from: number, cost: Cost): number {
  let characters = COMPARED;
  for (let at = from; at <= text.length; at += 1) {
    const found = text.indexOf(head, at);
    characters += ((found < 0 ? text.length : found) - at) / (SEARCHED / COMPARED);
    if (found < 0) break;
    const compared = compare(rest, text, found + head.length);
    characters += 1 + compared.count;
    if (compared.end >= 0 && !isWithin(text, found)) {
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

/** Characters after which the cost is charged while a piece is still looked for. */
const CHARGED = 1_000;

/** Where `rest` ends when it stands at the place, else -1; and how many characters were compared. */
function compare(rest: readonly number[], text: string, from: number): { end: number; count: number } {
  if (isWithin(text, from)) return { end: -1, count: 0 };
  let at = from;
  for (let count = 0; count < rest.length; count += 1) {
    const point = text.codePointAt(at);
    if (point === undefined || (rest[count] !== ANY && rest[count] !== point)) return { end: -1, count };
    at += point > 0xffff ? 2 : 1;
  }
  return { end: at, count: rest.length };
}

/** Whether the place is between the halves of one character. */
function isWithin(text: string, at: number): boolean {
  return isHalf(text.charCodeAt(at), 0xdc00) && isHalf(text.charCodeAt(at - 1), 0xd800);
}

function isHalf(unit: number, first: 0xd800 | 0xdc00): boolean {
  return unit >= first && unit < first + 0x400;
}
