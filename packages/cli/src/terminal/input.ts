import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isObject, type Json, type JsonObject, LedgerError, parseJson } from '@countersign/protocol';
import { localFailure, usage } from './failure.js';

/** Characters of an input: more than any body that a server takes. */
const LARGEST = 8 * 2 ** 20;
/** Bounds on JSON, as those of the server (interface/limits). */
export const JSON_BOUNDS = { depth: 64, values: 50_000 };

/** Reads a stream to its end. */
export async function readInput(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > LARGEST) throw usage('The input is too large.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The text of a file. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw localFailure(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`);
  }
}

/** Text as it was given: `@path` stands for the content of the file, `@-` for standard input. */
export async function resolveText(given: string, input: () => Promise<string>): Promise<string> {
  if (!given.startsWith('@')) return given;
  return given === '@-' ? input() : readText(given.slice(1));
}

/**
 * JSON that a person has written.
 *
 * @param what names it in the failure
 */
export function parseInput(text: string, what: string): Json {
  try {
    return parseJson(text, JSON_BOUNDS);
  } catch (error) {
    if (error instanceof LedgerError) {
      const advice = `quote it for the shell, such as '{"tier": "gold"}'`;
      throw usage(`${what} is not JSON that can be signed: ${error.detail}.`, advice);
    }
    throw error;
  }
}

/** A JSON object that a person has written. */
export function parseInputObject(text: string, what: string): JsonObject {
  const value = parseInput(text, what);
  if (!isObject(value)) throw usage(`${what} is not a JSON object.`);
  return value;
}
