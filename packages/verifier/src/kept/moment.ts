import { isMomentText } from '../version.js';

/** Where the parts of a moment stand, how many digits they have, and how many values a number has room for. */
const MOMENT_PARTS = [
  [0, 4, 10_000],
  [5, 2, 16],
  [8, 2, 32],
  [11, 2, 32],
  [14, 2, 64],
  [17, 2, 64],
  [20, 3, 1000],
] as const;

/**
 * A moment as a number: another one for each, in their order. Its digits alone make more than a number holds exactly.
 *
 * @returns 0 for what is no moment
 */
export function momentNumber(text: string): number {
  return isMomentText(text)
    ? MOMENT_PARTS.reduce((code, [at, digits, room]) => code * room + wholeAt(text, at, digits), 0)
    : 0;
}

/** The moment of the code. */
export function momentText(code: number): string {
  if (code === 0) return 'no moment';
  let left = code;
  const texts: string[] = [];
  for (const [, digits, room] of MOMENT_PARTS.toReversed()) {
    texts.unshift(String(left % room).padStart(digits, '0'));
    left = Math.floor(left / room);
  }
  const [year, month, day, hour, minute, second, millisecond] = texts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`;
}

function wholeAt(text: string, at: number, digits: number): number {
  let value = 0;
  for (let digit = at; digit < at + digits; digit += 1) value = 10 * value + (text.charCodeAt(digit) & 15);
  return value;
}
