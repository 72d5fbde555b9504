/** A step of a pattern: any run of characters, any one of them, or the one it names. */
export type Step = { readonly any: 'run' | 'one' } | { readonly literal: string };

/**
 * `$regex` is a substring match: `.*` and `%` stand for any run, `.` and `_` for one character, `\` escapes
 * (contract 01 §10). Everything else is itself.
 */
export function stepsOf(pattern: string): Step[] {
  return Array.from(pattern.matchAll(/\\(.)|\.\*|./gsu), ([token, escaped]): Step => {
    if (escaped !== undefined) return { literal: escaped };
    if (token === '.*' || token === '%') return { any: 'run' };
    if (token === '.' || token === '_') return { any: 'one' };
    return { literal: token };
  });
}
