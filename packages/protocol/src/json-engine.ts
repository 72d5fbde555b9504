/** Objects that begin alike: the names of the first hold a backslash, those of the second an escape in its place. */
const PAIRS = [
  ['{"countersign":0,"\\\\":0}', '{"countersign":0,"\\n":0}'],
  ['{"countersign":0,"\\\\":0,"z":0}', '{"countersign":0,"\\n":0,"z":0}'],
] as const;

/**
 * Refuses an engine that misreads JSON, as Node.js 23 to 26 do: after `{"a":0,"\\":1}` they parse `{"a":0,"\n":1}` as the same
 * object, since they compare the text of a name, and not what it means, with a name that is expected there (decision 0040).
 *
 * @param parse reads JSON
 * @throws Error when it misreads
 */
export function assertReadsJson(parse: (text: string) => object = JSON.parse): void {
  for (const [first, second] of PAIRS) {
    // `before` is used until the end: the engine expects what such objects have while there are any.
    const before = parse(first);
    const after = parse(second);
    if ('\\' in before && '\n' in after) continue;
    throw new Error('This Node.js misreads some member names in JSON, as 23 to 26 do: use Node.js 20 or 22.');
  }
}
