import { MOST_RANGES, PatternSize, rangesOf } from './pattern-size.js';

/** A pattern in the syntax of RE2, and about how much it compiles to. */
export interface Translation extends Pick<PatternSize, 'instructions' | 'ranges' | 'onePass'> {
  readonly text: string;
}

/** What `\s` matches in ECMAScript, as the inside of a class; RE2 knows only the ASCII part. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const NOT_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/** A token outside a class: escape, class start, group start, group end, quantifier, alternative, or one character. */
const PATTERN_TOKEN =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[\s\S])|\[\^?|\((?:\?(?:<?[=!]|<[^>]*>|[^)(:]*:))?|\)|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\||[\s\S]/uy;

const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[\s\S])|[\s\S]/uy;

/**
 * Rewrites an ECMAScript pattern so that RE2 matches the same texts. The two differ in `.`, `\s`, classes and the
 * spelling of escapes.
 *
 * @param source a valid pattern in Unicode mode
 * @throws Error for look-around and back-references
 */
export function toRe2(source: string): Translation {
  const size = new PatternSize();
  let text = '';
  let at = 0;
  while (at < source.length) {
    PATTERN_TOKEN.lastIndex = at;
    const token = PATTERN_TOKEN.exec(source)?.[0] ?? '';
    at += token.length;
    if (token.startsWith('[')) {
      const translated = classOf(source, at, token);
      text += translated.text;
      at = translated.end;
      size.add(translated.text, translated.ranges);
    } else if (token.startsWith('(')) {
      text += groupStart(token, source);
      size.openGroup();
    } else if (token === ')') {
      text += token;
      size.closeGroup();
    } else if (isQuantifier(token)) {
      text += token;
      size.repeat(token);
    } else {
      text += translateOutsideClass(token, source);
      if (token === '|') size.addAlternative();
      else size.add(token, rangesOf(token));
    }
  }
  const { instructions, ranges, onePass } = size;
  return { text: text === '' ? '(?:)' : text, instructions, ranges, onePass };
}

function isQuantifier(token: string): boolean {
  return /^(?:[*+?]|\{\d)/.test(token);
}

function groupStart(token: string, source: string): string {
  if (/^\(\?<?[=!]/.test(token)) throw new Error(`pattern "${source}" is not supported: look-around`);
  // A test ignores captures.
  return token === '(' || token.startsWith('(?<') ? '(?:' : token;
}

function translateOutsideClass(token: string, source: string): string {
  if (token === '.') return NOT_LINE_END;
  if (token === '\\s') return `[${SPACE}]`;
  if (token === '\\S') return `[^${SPACE}]`;
  if (/^\\(?:k|[1-9])/.test(token)) throw new Error(`pattern "${source}" is not supported: back-reference`);
  if (token === '\\b' || token === '\\B') return token;
  return translateCharacter(token);
}

/** The class that `opening` begins, up to and with its `]`. */
function classOf(source: string, start: number, opening: string): { text: string; end: number; ranges: number } {
  let inside = '';
  let ranges = 1;
  let at = start;
  while (source[at] !== ']') {
    ESCAPE.lastIndex = at;
    const token = ESCAPE.exec(source)?.[0] ?? '';
    at += token.length;
    inside += translateInClass(token);
    ranges = Math.min(MOST_RANGES, ranges + rangesOf(token));
  }
  const end = at + 1;
  // RE2 takes a `]` in first place as a member, so the two empty classes are spelled out.
  if (inside === '') return { text: opening === '[' ? '[^\\x{0}-\\x{10ffff}]' : '[\\x{0}-\\x{10ffff}]', end, ranges };
  return { text: `${opening}${inside}]`, end, ranges };
}

function translateInClass(token: string): string {
  if (token === '\\s') return SPACE;
  if (token === '\\S') return NOT_SPACE;
  if (token === '\\b') return '\\x{8}';
  if (token === '-') return token;
  return translateCharacter(token);
}

/** One character, or an escape that means the same in and outside a class. */
function translateCharacter(token: string): string {
  if (/^\\[dDwW]$/.test(token)) return token;
  if (/^\\[pP]/.test(token)) return token.replace(/\{(?:General_Category|gc|Script|sc)=/, '{');
  if (/^[\^$|]$/.test(token)) return token;
  return literal(characterOf(token));
}

const CONTROL_ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r', 0: '\0' };

function characterOf(token: string): string {
  if (!token.startsWith('\\')) return token;
  const body = token.slice(1);
  // Two escaped halves are one character in Unicode mode.
  const halves = /^u([dD][0-9a-fA-F]{3})\\u([0-9a-fA-F]{4})$/.exec(body);
  if (halves !== null) return String.fromCharCode(...halves.slice(1).map((half) => Number.parseInt(half, 16)));
  const hex = /^(?:u\{?|x)([0-9a-fA-F]+)/.exec(body)?.[1];
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  if (/^c[A-Za-z]$/.test(body)) return String.fromCodePoint((body.codePointAt(1) as number) % 32);
  return CONTROL_ESCAPES[body] ?? body;
}

function literal(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  return `\\x{${(character.codePointAt(0) as number).toString(16)}}`;
}
