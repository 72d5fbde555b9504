import { createReadStream } from 'node:fs';
import { localFailure } from './failure.js';

/** Characters of a line that are handed on: the verifier tells of more. */
const LONGEST_LINE_READ = 64 * 2 ** 20 + 1;

/** Bytes that are read at once: the fewer, the less is in memory before it is freed. */
const READ_BYTES = 2 ** 16;

/** The lines of a file, without their breaks. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: READ_BYTES })) {
      const [first, ...others] = (chunk as string).split('\n');
      const last = others.pop();
      rest.push(first!.slice(0, LONGEST_LINE_READ - length));
      length += rest.at(-1)!.length;
      if (last === undefined) continue;
      yield rest.join('');
      yield* others;
      rest = [last];
      length = last.length;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : localFailure(`${path} cannot be read: ${code}.`);
  }
  if (length > 0) yield rest.join('');
}
