import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 } as const;

/** Any character of Unicode. */
export const arbitraryCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count));

/**
 * Text of any characters of Unicode. The library's own unit `binary` lays out all of them each time it is named, which takes a second.
 */
export function arbitraryText({ maxLength = 20 }: { maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.array(arbitraryCharacter, { maxLength }).map((characters) => characters.join(''));
}
