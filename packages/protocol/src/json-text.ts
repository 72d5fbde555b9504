/**
 * Whether the name of a member is written with an escape. It takes time in proportion to the length of `text`. Where that is no
 * JSON, the answer says nothing.
 */
export function hasEscapedName(text: string): boolean {
  let end = 0;
  for (;;) {
    const backslash = text.indexOf('\\', end);
    if (backslash === -1) return false;
    // Only strings hold a backslash, and only names come before a colon.
    end = endOfString(text, backslash);
    if (text[skipSpace(text, end)] === ':') return true;
  }
}

/**
 * Where a string ends, its closing quote included.
 *
 * @param at a place within it that no backslash escapes
 */
export function endOfString(text: string, at: number): number {
  for (let place = at; place < text.length; place++) {
    const mark = text.charCodeAt(place);
    if (mark === 0x5c) place++;
    else if (mark === 0x22) return place + 1;
  }
  return text.length;
}

/** The first place from `at` on that is no space between the tokens of JSON. */
export function skipSpace(text: string, at: number): number {
  for (let place = at; ; place++) {
    const mark = text.charCodeAt(place);
    if (mark !== 0x20 && mark !== 0x0a && mark !== 0x0d && mark !== 0x09) return place;
  }
}
