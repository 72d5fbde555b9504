import { type Json, LedgerError, parseJson } from '@countersign/protocol';
import { jsonLimits } from '../base/json-limits.js';
import { outboundLimits } from './outbound-limits.js';

/** Parses the JSON of an answer within bounds, as strictly as that of clients; undefined when it is malformed. */
export function parseBoundedAnswer(text: string): Json | undefined {
  const { levels, values } = outboundLimits;
  try {
    return parseJson(text, { depth: jsonLimits.depth + levels, values });
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}
