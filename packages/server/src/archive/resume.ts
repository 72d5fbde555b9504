import { createHash, type Hash } from 'node:crypto';
import { type HeaderLine, type Line, parseLine, STATE_SORTS } from '@countersign/verifier';
import { ExportRefused } from './refusals.js';

/** What an interrupted export has written. */
export interface Begun {
  readonly header: HeaderLine;
  /** Bytes that are kept: all whole records and rows. What follows them is to be cut off. */
  readonly length: number;
  /** SHA-256 of these bytes, hex. */
  readonly sha256: string;
}

/**
 * Reads what an interrupted export has written. A record counts as written once the next one has begun: before that, versions
 * of it may be missing.
 *
 * @param lines of the file, without their breaks; the last one may be cut off
 * @throws ExportRefused when the file is no export, or one that was finished
 */
export async function readBegun(lines: AsyncIterable<string>): Promise<Begun | undefined> {
  let kept: { length: number; digest: Hash } | undefined;
  let header: HeaderLine | undefined;
  const digest = createHash('sha256');
  let length = 0;
  let luid = '';
  for await (const text of lines) {
    const line: Line | string = parseLine(text);
    if (typeof line === 'string') break;
    if (line.line === 'end') throw new ExportRefused('The export was finished: there is nothing to go on with.');
    if (line.line === 'header') header = line;
    if (!header) break;
    const begins = line.line === 'change' && line.luid !== luid;
    // No proofs cover these lines, and the MAC at the end vouches for them: they are written again rather than trusted.
    if (STATE_SORTS.includes(line.line)) break;
    // All lines before this one make whole records.
    if (begins) kept = { length, digest: digest.copy() };
    if (line.line === 'change') luid = line.luid;
    digest.update(`${text}\n`);
    length += Buffer.byteLength(text) + 1;
    if (line.line !== 'change' && line.line !== 'current' && line.line !== 'header') kept = { length, digest };
  }
  if (!header) throw new ExportRefused('The file is not an export of a ledger: there is nothing to go on with.');
  return kept && { header, length: kept.length, sha256: kept.digest.digest('hex') };
}
