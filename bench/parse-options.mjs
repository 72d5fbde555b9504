import { parseArgs } from 'node:util';

/** An option that is a whole number. @param usual its value unless given; without one it may be left out */
export const whole = (usual, least, greatest) => ({
  usual,
  read: (name, text) => {
    const value = Number(text);
    if (!(Number.isInteger(value) && value >= least && value <= greatest))
      throw new Error(`--${name} must be a whole number from ${least} to ${greatest}`);
    return value;
  },
});

/** An option that is a number. */
export const number = (usual, least, greatest) => ({
  usual,
  read: (name, text) => {
    const value = Number(text);
    if (!(value >= least && value <= greatest)) throw new Error(`--${name} must be from ${least} to ${greatest}`);
    return value;
  },
});

/** An option that is a text, such as a folder. */
export const text = (usual) => ({ usual, read: (_name, given) => given });

/**
 * The options of a call, and `help`.
 *
 * @param args behind the name of the program
 * @param kinds by name, what each option is: `{ rounds: whole(3, 1, 100) }`
 * @returns by name, what was given or is usual; options without either are left out
 * @throws Error with what is wrong
 */
export function parseOptions(args, kinds) {
  const options = Object.fromEntries(Object.keys(kinds).map((name) => [name, { type: 'string' }]));
  const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean', default: false } } });
  const read = Object.entries(kinds).flatMap(([name, { usual, read }]) => {
    const given = values[name] ?? (usual === undefined ? undefined : String(usual));
    return given === undefined ? [] : [[name, read(name, given)]];
  });
  return { help: values.help, ...Object.fromEntries(read) };
}
