import { createReadStream } from 'node:fs';
import { local } from './failure.js';

/** Characters of a line that are handed on: the verifier tells of more. */
const LONGEST = 64 * 2 ** 20 + 1;

/** The lines of a file, without their breaks. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 2 ** 20 })) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      rest = rest.slice(0, LONGEST);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : local(`${path} cannot be read: ${code}.`);
  }
  if (rest !== '') yield rest;
}
