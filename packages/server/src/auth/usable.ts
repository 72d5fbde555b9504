import type { RecordEnvelope } from '@countersign/protocol';

/** Statuses that take a signer, or a way for it to prove who it is, out of use (contract 03 §2.5, §3). */
const OUT_OF_USE: readonly unknown[] = ['inactive', 'blocked'];

/** Whether a signer or factor counts: its status does not say otherwise. */
export function isUsable({ meta }: { readonly meta: { readonly status?: string } }): boolean {
  return !OUT_OF_USE.includes(meta.status);
}

/** A key-pair factor whose key signs as the signer's own does (contract 03 §2.5). */
export function isSigningKey({ data }: RecordEnvelope): boolean {
  return data.schema === 'key-pair' && data.format === 'ed25519-raw';
}

/** A key-pair factor that RS256 tokens are signed with (contract 03 §2.2). */
export function isProviderKey({ data }: RecordEnvelope): boolean {
  return data.schema === 'key-pair' && data.format === 'rsa-der';
}
