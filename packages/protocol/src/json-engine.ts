/** Objects that begin alike: the names of the first hold a backslash, those of the second an escape in its place. */
const PAIRS = [
  ['{"countersign":0,"\\\\":0}', '{"countersign":0,"\\n":0}'],
  ['{"countersign":0,"\\\\":0,"z":0}', '{"countersign":0,"\\n":0,"z":0}'],
] as const;

/**
 * Whether an engine misreads JSON, as that of Node.js 23 to 26 does: after `{"a":0,"\\":1}` it parses `{"a":0,"\n":1}` as the
 * same object, since it compares the text of a name, and not what it means, with a name that is expected there (decision 0001).
 *
 * @param parse reads JSON
 */
export function misreadsJson(parse: (text: string) => object = JSON.parse): boolean {
  return PAIRS.some(([first, second]) => {
    // `before` is used until the end: the engine expects what such objects have while there are any.
    const before = parse(first);
    const after = parse(second);
    return !('\\' in before && '\n' in after);
  });
}
