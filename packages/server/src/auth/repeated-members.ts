import { readJson } from '@countersign/protocol';

/** Strings, and the punctuation that tells which of them are names of members. */
const STRING_OR_PUNCTUATION = /"(?:[^"\\]|\\.)*"|[{}:]/g;

/**
 * Whether an object in `text`, which is valid JSON, names a member twice. Parsers differ in which one they keep, so two
 * readers of one token could see different claims (RFC 7515 §4, RFC 7519 §4).
 */
export function repeatsMember(text: string): boolean {
  const open: Set<string>[] = [];
  let last = '';
  for (const [piece] of text.matchAll(STRING_OR_PUNCTUATION)) {
    if (piece === '{') {
      open.push(new Set());
    } else if (piece === '}') {
      open.pop();
    } else if (piece === ':') {
      const names = open.at(-1)!;
      const name = readJson(last) as string;
      if (names.has(name)) return true;
      names.add(name);
    } else {
      last = piece;
    }
  }
  return false;
}
