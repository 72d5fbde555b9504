import { fileURLToPath } from 'node:url';

/** The folder of the repository, wherever a script was started from. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Tells what a script is doing: not on the standard output, which belongs to what it starts. */
export function say(text) {
  console.error(`countersign: ${text}`);
}
