/** Characters of a line: a version has 4 MiB at most, and JSON may write a character as six. */
export const LONGEST_LINE = 64 * 2 ** 20;

/** Characters of a handle (interface/envelope#handles), and of what is kept in memory beside luids. */
export const LONGEST_NAME = 255;

/** Arrays and objects within one another: no request that a ledger takes has as many. */
const DEPTH = 200;

/** Whether JSON is nested deeper than any that a ledger writes: what recurs over it would run out of stack. */
export function isTooDeep(text: string): boolean {
  return countOpenings(text) > DEPTH && nests(text);
}

/** How often something opens in the text, within strings too; counted no further than is of interest. */
function countOpenings(text: string): number {
  let count = 0;
  for (const sign of ['{', '[']) {
    for (let at = text.indexOf(sign); at >= 0 && count <= DEPTH; at = text.indexOf(sign, at + 1)) count += 1;
  }
  return count;
}

function nests(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = skipString(text, at);
        break;
      case BRACE:
      case BRACKET:
        depth += 1;
        if (depth > DEPTH) return true;
        break;
      case BRACE + 2:
      case BRACKET + 2:
        depth -= 1;
        break;
      default:
    }
  }
  return false;
}

const QUOTE = 0x22;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** Where the string ends that begins there; behind the text, where it does not. */
function skipString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
