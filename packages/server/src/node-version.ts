/** The oldest supported Node.js, as in `engines` of package.json. */
const OLDEST = [20, 19] as const;

/**
 * The message for an operator whose Node.js is too old.
 *
 * @param version such as `18.20.4`
 * @returns undefined when it is new enough
 */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `countersign: needs Node.js ${OLDEST.join('.')} or later, and this is ${version}: https://nodejs.org has newer ones`;
}
