import type { NewDelivery, Write } from './write.js';

/** Bytes of a row beside its texts; those of the function `stored_bytes`, which counts rows that are there (0020-storage). */
export const ROW_BYTES = 512;

/** Bytes that a write stores, as the quota of its ledger counts them, but for its secrets. */
export function bytesOf(write: Write): number {
  const { body, earlier = [], deliveries = [] } = write;
  const before = earlier.reduce((sum, one) => sum + ROW_BYTES + Buffer.byteLength(one.body), 0);
  return ROW_BYTES + Buffer.byteLength(body) + besideOf(write) + before + eventBytesOf(deliveries);
}

/** What lists filter a record by, as far as it is longer than the text. A dropped record is in no list. */
export function besideOf({ action, body, document }: Pick<Write, 'action' | 'body' | 'document'>): number {
  if (action === 'drop' || action === 'erase') return 0;
  return Math.max(0, Buffer.byteLength(document) - Buffer.byteLength(body));
}

/** Bytes of the secrets that a write stores, some of which may take the place of others. */
export function secretBytesOf({ secrets = [] }: Pick<Write, 'secrets'>): number {
  return secrets.reduce((sum, { sealed }) => sum + ROW_BYTES + sealed.length, 0);
}

function eventBytesOf(deliveries: readonly NewDelivery[]): number {
  return deliveries.reduce((sum, { event }) => sum + ROW_BYTES + Buffer.byteLength(event), 0);
}
