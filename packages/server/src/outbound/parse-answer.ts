import { type Json, LedgerError, parseJson } from '@countersign/protocol';
import { limits } from '../limits.js';

/** Parses the JSON of an answer within bounds, as strictly as that of clients; undefined when it is malformed. */
export function parseBoundedAnswer(text: string): Json | undefined {
  const { levels, values } = limits.outbound;
  try {
    return parseJson(text, { depth: limits.depth + levels, values });
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}
