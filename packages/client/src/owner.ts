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

/**
 * The data of a ledger that one key owns: it takes proofs that name it, and tokens for its handle or for one of the other
 * audiences (interface/tokens#audience).
 */
export function ledgerOfOwner(handle: string, publicKey: string, audiences: readonly string[]) {
  return {
    handle,
    signer: 'system' as const,
    access: rulesOfOwner(publicKey),
    config: { 'token.audiences': [...new Set([handle, ...audiences])], 'proof.ledgerRequired': true },
  };
}
