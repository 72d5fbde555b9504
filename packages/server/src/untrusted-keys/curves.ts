/** A curve over a prime field that TLS uses (RFC 8422). */
export interface Curve {
  /** Bytes of a coordinate, and of a private key. */
  readonly bytes: number;
  /** Private keys are below it (FIPS 186-4, D.1.2). */
  readonly order: bigint;
}

/** By the identifier that names them. A curve that a key describes by its numbers may take any time to compute on. */
export const CURVES: ReadonlyMap<string, Curve> = new Map([
  // prime256v1, secp384r1, secp521r1.
  [
    '2a8648ce3d030107',
    { bytes: 32, order: BigInt(`0xffffffff00000000${'ff'.repeat(8)}bce6faada7179e84f3b9cac2fc632551`) },
  ],
  ['2b81040022', { bytes: 48, order: BigInt(`0x${'ff'.repeat(24)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`) }],
  [
    '2b81040023',
    {
      bytes: 66,
      order: BigInt(`0x01${'ff'.repeat(32)}fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409`),
    },
  ],
]);

/** First byte of a point with both coordinates (SEC 1, 2.3.3). */
const UNCOMPRESSED = 0x04;

/** Whether the bytes have the form of a point with both coordinates. */
export function isPoint(point: Uint8Array, { bytes }: Curve): boolean {
  return point.length === 2 * bytes + 1 && point[0] === UNCOMPRESSED;
}
