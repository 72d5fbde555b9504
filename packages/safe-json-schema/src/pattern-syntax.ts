/** A pattern in the syntax of RE2, and about how many instructions it compiles to. */
export interface Translation {
  readonly text: string;
  readonly instructions: number;
}

/** What `\s` matches in ECMAScript, as the inside of a class; RE2 knows only the ASCII part. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const NOT_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/** A token outside a class: escape, class start, group start, group end, quantifier, alternative, or one character. */
const TOKEN =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[\s\S])|\[\^?|\((?:\?(?:<?[=!]|<[^>]*>|[^)(:]*:))?|\)|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\||[\s\S]/uy;

const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[\s\S])|[\s\S]/uy;

/** Sizes while reading: of the pattern or group so far, and of the last thing in it, which a quantifier repeats. */
interface Size {
  total: number;
  last: number;
}

/**
 * Rewrites an ECMAScript pattern so that RE2 matches the same texts. The two differ in `.`, `\s`, classes and the
 * spelling of escapes.
 *
 * @param source a valid pattern in Unicode mode
 * @throws Error for look-around and back-references
 */
export function toRe2(source: string): Translation {
  const open: Size[] = [{ total: 2, last: 0 }];
  let text = '';
  let at = 0;
  while (at < source.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(source)?.[0] ?? '';
    at += token.length;
    const size = open.at(-1) as Size;
    if (token.startsWith('[')) {
      const translated = classOf(source, at, token);
      text += translated.text;
      at = translated.end;
      atom(size, 1);
    } else if (token.startsWith('(')) {
      text += groupStart(token, source);
      open.push({ total: 0, last: 0 });
    } else if (token === ')') {
      text += token;
      open.pop();
      atom(open.at(-1) as Size, 1 + size.total);
    } else if (isQuantifier(token)) {
      text += token;
      repeat(size, token);
    } else {
      text += translateOutsideClass(token, source);
      // Each side of `|` takes an instruction, even an empty one.
      atom(size, token === '|' ? 2 : 1);
    }
  }
  return { text: text === '' ? '(?:)' : text, instructions: (open[0] as Size).total };
}

function atom(size: Size, instructions: number): void {
  size.total += instructions;
  size.last = instructions;
}

function isQuantifier(token: string): boolean {
  return /^(?:[*+?]|\{\d)/.test(token);
}

/** Counts `a{n,m}` as m copies, of which m - n can be left out, and `a{n,}` as n copies and a loop. */
function repeat(size: Size, quantifier: string): void {
  const [, least = '1', most = least] = /^\{(\d+)(?:,(\d*))?/.exec(quantifier) ?? [];
  const copies = Math.max(1, Number(least), Number(most));
  const optional = quantifier.startsWith('{') && most !== '' ? Number(most) - Number(least) : 1;
  size.total += size.last * (copies - 1) + optional;
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
function classOf(source: string, start: number, opening: string): { text: string; end: number } {
  let inside = '';
  let at = start;
  while (source[at] !== ']') {
    ESCAPE.lastIndex = at;
    const token = ESCAPE.exec(source)?.[0] ?? '';
    at += token.length;
    inside += translateInClass(token);
  }
  const end = at + 1;
  // RE2 takes a `]` in first place as a member, so the two empty classes are spelled out.
  if (inside === '') return { text: opening === '[' ? '[^\\x{0}-\\x{10ffff}]' : '[\\x{0}-\\x{10ffff}]', end };
  return { text: `${opening}${inside}]`, end };
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

const CONTROL: Readonly<Record<string, string>> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r', 0: '\0' };

function characterOf(token: string): string {
  if (!token.startsWith('\\')) return token;
  const body = token.slice(1);
  // Two escaped halves are one character in Unicode mode.
  const halves = /^u([dD][0-9a-fA-F]{3})\\u([0-9a-fA-F]{4})$/.exec(body);
  if (halves !== null) return String.fromCharCode(...halves.slice(1).map((half) => Number.parseInt(half, 16)));
  const hex = /^(?:u\{?|x)([0-9a-fA-F]+)/.exec(body)?.[1];
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  if (/^c[A-Za-z]$/.test(body)) return String.fromCodePoint((body.codePointAt(1) as number) % 32);
  return CONTROL[body] ?? body;
}

function literal(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  return `\\x{${(character.codePointAt(0) as number).toString(16)}}`;
}
