/** Whether a client asks for one type rather than for another, by its `accept` header (RFC 9110 §12.5.1). */
export function prefers(accept: string | undefined, one: string, other: string): boolean {
  const asked = (accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = Number(parameters.find((part) => part.startsWith('q='))?.slice('q='.length) ?? 1);
    return { type, quality: Number.isNaN(quality) ? 0 : quality };
  });
  const of = (wanted: string) => Math.max(0, ...asked.filter(({ type }) => type === wanted).map((one) => one.quality));
  return of(one) > of(other);
}
