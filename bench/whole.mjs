/**
 * An option that is a whole number.
 *
 * @param values of `parseArgs`
 * @throws Error with what it must be
 */
export function whole(values, name, least, greatest) {
  const value = Number(values[name]);
  if (!(Number.isInteger(value) && value >= least && value <= greatest))
    throw new Error(`--${name} must be a whole number from ${least} to ${greatest}`);
  return value;
}
