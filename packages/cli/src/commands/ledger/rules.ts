import type { JsonObject } from '@countersign/protocol';

/**
 * Rules that let the holder of a key do everything, and nobody else anything. The first is met by signatures, and so by
 * writes; a read carries a token only, which the second asks for (interface/access#reads-and-writes).
 */
export function rulesOfOwner(publicKey: string): JsonObject[] {
  return [
    { action: 'any', record: 'any', signer: { public: publicKey } },
    { action: 'any', record: 'any', bearer: { $signer: { public: publicKey } } },
  ];
}
