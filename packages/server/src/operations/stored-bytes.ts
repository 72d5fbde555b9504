import { type MayExceed, quotaLimits } from '../store/quotas.js';

/**
 * Whether a drop or an erasure may exceed the quota: it ends a record, but what clients say with it may be long. It takes as much as the
 * version that it ends, and what is signed of it.
 *
 * @param text of that version
 */
export function mayEnd({ body }: { readonly body: string }, text: string): MayExceed {
  return async () => Buffer.byteLength(body) <= Buffer.byteLength(text) + quotaLimits.end;
}
