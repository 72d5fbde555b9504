/** Keys and certificates that clients write, before OpenSSL is given any. */
export const keyLimits = {
  /** Characters of a private key as PEM. */
  privateKey: 4 * 1024,
  /** Characters of a public key as base64. */
  publicKey: 2 * 1024,
  /** Bits of an RSA modulus, of its public exponent, and by which a prime may be longer than half of the modulus. */
  rsa: { least: 2_048, greatest: 4_096, exponentBits: 32, unequal: 32 },
  chain: {
    /** Characters of a chain of certificates as PEM. */
    characters: 16 * 1024,
    /** Certificates of a chain. */
    count: 10,
  },
  der: {
    /** Values in an object as DER. */
    values: 1_000,
    /** Levels in an object as DER. */
    depth: 16,
    /** Bytes of an object's identifier. */
    identifier: 64,
  },
  /** Private keys whose judgement is remembered. */
  judged: 1_000,
} as const;
