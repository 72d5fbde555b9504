/**
 * A value of a record as text, of whatever form: `String` throws for an object whose member `toString` is no function, and
 * that would end the verification.
 */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : String(JSON.stringify(value));
}
