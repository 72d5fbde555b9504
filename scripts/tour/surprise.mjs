/** Something the tour did not expect: it ends there, with this text and exit code 1. */
export class Surprise extends Error {}

/** @throws Surprise with `text` unless `condition` holds */
export function expect(condition, text) {
  if (!condition) throw new Surprise(text);
}
