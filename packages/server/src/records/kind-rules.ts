import type { JsonObject } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';

/** The kind's own rules about data, which no request schema can say. Throws what the kind throws. */
export function checkData(kind: Kind, ledger: Ledger, data: JsonObject, previous?: JsonObject): void {
  kind.check?.(data, previous, ledger.config);
}
