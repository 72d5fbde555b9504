/** A step of a pattern: any run of characters, any one of them, or the one it names. */
type Step = { readonly any: 'run' | 'one' } | { readonly literal: string };

/**
 * `$regex` is a substring match: `.*` and `%` stand for any run, `.` and `_` for one character, `\` escapes
 * (contract 01 §10). Everything else is itself.
 */
function stepsOf(pattern: string): Step[] {
  return Array.from(pattern.matchAll(/\\(.)|\.\*|./gsu), ([token, escaped]): Step => {
    if (escaped !== undefined) return { literal: escaped };
    if (token === '.*' || token === '%') return { any: 'run' };
    if (token === '.' || token === '_') return { any: 'one' };
    return { literal: token };
  });
}

/** The pattern for `like … escape '\'`. */
export function likePattern(pattern: string): string {
  const steps = stepsOf(pattern).map((step) => {
    if ('any' in step) return step.any === 'run' ? '%' : '_';
    return /[\\%_]/.test(step.literal) ? `\\${step.literal}` : step.literal;
  });
  return `%${steps.join('')}%`;
}

/**
 * The pattern for `like_regex … flag "s"`, found anywhere. PostgreSQL makes an automaton of it, as it does not for
 * `like`: on long texts that nearly match all along, that is a hundred times faster.
 */
export function regexPattern(pattern: string): string {
  const steps = stepsOf(pattern).map((step) => {
    if ('any' in step) return step.any === 'run' ? '.*' : '.';
    return step.literal.replace(/[\\^$.|?*+()[\]{}]/, '\\$&');
  });
  return steps.join('');
}
