import { stepsOf } from '../../base/like.js';

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
