import { createReadStream } from 'node:fs';
import { ImportRefused } from './refusals.js';

/** Characters of a line: a version has 4 MiB at most, and JSON may write a character as six. */
const LONGEST_FILE_LINE = 64 * 1024 * 1024;

/** Bytes that are read at once: the fewer, the less is in memory before it is freed. */
const CHUNK = 64 * 1024;

/**
 * The lines of a file, without their breaks.
 *
 * @param isWhole leaves out a last line that was cut off before its break
 * @throws ImportRefused for a line that is longer than any of an export
 */
export async function* linesOfFile(path: string, isWhole = false): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: CHUNK })) {
    const parts = (chunk as string).split('\n');
    for (const part of parts.slice(0, -1)) {
      yield rest.length === 0 ? part : rest.join('') + part;
      rest = [];
      length = 0;
    }
    const last = parts.at(-1)!;
    rest.push(last);
    length += last.length;
    if (length > LONGEST_FILE_LINE) throw new ImportRefused('The file is not an export: one of its lines is too long.');
  }
  const last = rest.join('');
  if (last !== '' && !isWhole) yield last;
}
