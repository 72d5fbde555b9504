/** Bytes that a parsed value takes beside its texts. */
const VALUE_BYTES = { object: 64, member: 40, array: 40, element: 8, text: 24, number: 16 };

/**
 * About how many bytes of memory a parsed JSON value takes, for caches that are bounded by them: up to twenty times its
 * text, where that is `[{},{},…]`.
 */
export function weighJson(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES.text + Buffer.byteLength(value);
  if (typeof value === 'number') return VALUE_BYTES.number;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value))
    return value.reduce((sum, one) => sum + VALUE_BYTES.element + weighJson(one), VALUE_BYTES.array);
  let sum = VALUE_BYTES.object;
  for (const [name, member] of Object.entries(value)) sum += VALUE_BYTES.member + name.length + weighJson(member);
  return sum;
}
