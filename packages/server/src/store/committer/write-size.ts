import type { Write } from './write.js';

/** Bytes of a row beside its texts. */
export const ROW_BYTES = 512;

/**
 * Bytes that a write stores, as the quota of its ledger counts them: the texts of its versions, what lists filter by as far as
 * that is longer, and its deliveries.
 */
export function bytesOf({ body, document, earlier = [], deliveries = [] }: Write): number {
  const text = Buffer.byteLength(body);
  const more = Math.max(0, Buffer.byteLength(document) - text);
  const before = earlier.reduce((sum, one) => sum + ROW_BYTES + Buffer.byteLength(one.body), 0);
  const events = deliveries.reduce((sum, { event }) => sum + ROW_BYTES + Buffer.byteLength(event), 0);
  return ROW_BYTES + text + more + before + events;
}
