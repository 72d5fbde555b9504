import { luid as makeLuid } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Service } from '../ledgers/service.js';

/** A luid for a new record of the kind. */
export function newLuid({ runtime }: Service, kind: Kind): string {
  return makeLuid(kind.prefix, Math.floor(runtime.now() / 1000), runtime.random(11));
}
