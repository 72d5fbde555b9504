/** The oldest supported Node.js, as in `engines` of package.json. */
const OLDEST_NODE = [20, 19] as const;

/**
 * The message for an operator whose Node.js is too old.
 *
 * @param version such as `18.20.4`
 * @returns undefined when it is new enough
 */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return undefined;
  const needed = OLDEST_NODE.join('.');
  return `countersign: needs Node.js ${needed} or later, and this is ${version}: see https://nodejs.org/dist`;
}
