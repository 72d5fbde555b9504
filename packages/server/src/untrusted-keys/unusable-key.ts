/** A key or certificate of a client's that is not taken. The message tells why, and nothing of the key. */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey';
}
