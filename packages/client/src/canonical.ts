/**
 * The canonical form of a value (interface/envelope#canonical-json). A test holds it equal to that of
 * `@countersign/protocol`, whose library would be a fifth of this package.
 *
 * @throws TypeError for what JSON excludes: NaN, infinities, bigints, functions, cycles, lone surrogates
 */
export function canonical(value: unknown): string {
  let text: string | undefined;
  try {
    text = writeCanonical(value);
  } catch (cause) {
    throw new TypeError('The value is not JSON', { cause });
  }
  if (text === undefined) throw new TypeError('The value is not JSON');
  return text;
}

function writeCanonical(given: unknown): string | undefined {
  const { toJSON } = Object(given);
  const value = typeof toJSON === 'function' ? toJSON.call(given) : given;
  if (Array.isArray(value)) return `[${value.map((one) => writeCanonical(one) ?? 'null').join()}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.keys(value)
      .sort()
      .flatMap((name) => {
        const text = writeCanonical((value as Record<string, unknown>)[name]);
        return text === undefined ? [] : `${writeCanonical(name)}:${text}`;
      });
    return `{${members.join()}}`;
  }
  // NaN would be written as null, and a lone surrogate has no UTF-8; what has no text is refused by `canonical`.
  const isBad = typeof value === 'number' ? !Number.isFinite(value) : /\p{Surrogate}/u.test(String(value));
  if (isBad || typeof value === 'function' || typeof value === 'symbol') throw new TypeError('The value is not JSON');
  return JSON.stringify(value);
}
