import type { Json, RecordEnvelope, StoredProof } from '@countersign/protocol';
import { statusesAfter } from '../kinds.js';
import { namedKey } from './named-key.js';
import { proveIntent } from './proven-intent.js';

/**
 * How the status of a version stands to its own proofs: `given`, the last proof that asks for one asks for it; `open`, they
 * allow it, and do not give it, as after an update, which keeps the status; `false`, they rule it out.
 */
export type StatusVerdict = 'given' | 'open' | 'false';

/** Holds `meta.status` to the proofs of the same version. Whether their signatures hold is for the caller to see. */
export function judgeStatus(record: RecordEnvelope, system: string | undefined): StatusVerdict {
  const { luid, meta } = record;
  const { proofs, status } = meta;
  const isOwn = (proof: StoredProof) => proof.public === system && proof.custom?.luid === luid;
  const at = proofs.findIndex(isOwn);
  if (system === undefined || at < 0) return 'open';
  const first = proofs[at]?.custom?.status;
  if (luid.startsWith('$int.') && first === 'pending')
    return status === proveIntent(record, { system, core: namedKey(proofs, 'core') }).status ? 'given' : 'false';
  let last = first;
  // Undefined: any, since an update keeps what its own proofs do not tell.
  let mayBe: readonly (Json | undefined)[] | undefined = first === undefined ? undefined : [first];
  for (const proof of proofs.slice(at + 1)) {
    const asked = proof.custom?.status;
    if (asked === undefined) continue;
    last = asked === null ? undefined : asked;
    // A drop is done, and waits for no quorum.
    mayBe = isOwn(proof) ? [last] : mayBe?.flatMap((was) => statusesAfter(was, asked));
  }
  if (last === status && (mayBe !== undefined || last !== undefined)) return 'given';
  return mayBe === undefined || mayBe.includes(status) ? 'open' : 'false';
}
