import type { RecordEnvelope } from '@countersign/protocol';
import { isInUse } from '../kinds/in-use.js';

/** Whether a signer or factor is in use, by its status. */
export function isUsable({ meta }: { readonly meta: { readonly status?: string } }): boolean {
  return isInUse(meta.status);
}

/** A key-pair factor whose key signs as the signer's own does (interface/signers#key-pairs). */
export function isSigningKey({ data }: RecordEnvelope): boolean {
  return data.schema === 'key-pair' && data.format === 'ed25519-raw';
}

/** A key-pair factor that RS256 tokens are signed with (interface/signers#key-pairs). */
export function isProviderKey({ data }: RecordEnvelope): boolean {
  return data.schema === 'key-pair' && data.format === 'rsa-der';
}
