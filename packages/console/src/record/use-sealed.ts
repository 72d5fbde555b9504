import { isRefusal, type Signed } from '@countersign/client';
import { readJson } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import type { OpenLedger } from '../session/open-ledger.js';
import { findPolicy } from '../session/trees.js';
import { followTree, type TreeVerdict } from '../verify/follow-tree.js';
import { isSameVersion } from '../verify/history.js';
import { judgeInclusion, readPolicy, type SealedVerdict } from '../verify/log.js';

/** A version of a record, by its place in the history. */
export interface VersionPlace {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly luid: string;
  readonly change: number;
  readonly action: string;
}

/** How a version stands to the log. */
export type Sealed =
  /** `other`: the version of that number is not the one that is shown. */
  | { readonly state: 'waiting' | 'erased' | 'other' }
  | {
      readonly state: 'sealed';
      readonly verdict: SealedVerdict;
      readonly tree: TreeVerdict;
      /** The version as it was served, and its proof, to be taken away. */
      readonly text: string;
      readonly proof: string;
    };

/** Milliseconds until a version that is no leaf yet is looked for again. */
const SEALED_AGAIN = 1500;

/** The proof that the version that is shown is in the log, checked here, and that the log goes on from what this browser remembers. */
export function useSealed(shown: Signed, place: VersionPlace | undefined, policy: string) {
  const ledger = useLedger();
  const { hash, meta } = shown;
  return useQuery({
    queryKey: [...scopeOf(ledger), 'sealed', place?.luid, place?.change, hash, meta.proofs.length, meta.status, policy],
    queryFn: () => readSealed(ledger, shown, place as VersionPlace, policy),
    enabled: place !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? SEALED_AGAIN : false),
  });
}

/** The policy that was pasted for the ledger. */
export function policyOf({ server, pin }: OpenLedger): string {
  return findPolicy(server, pin.luid);
}

async function readSealed(ledger: OpenLedger, shown: Signed, place: VersionPlace, policy: string): Promise<Sealed> {
  const { kind, parent, luid, change, action } = place;
  const records = ledger.client.kind(recordName(kind), parent);
  const args = kind.item.includes('{id}') ? [luid, change] : [change];
  let proof: string;
  try {
    proof = String(((await records.inclusion(...args)) as { data: { proof: unknown } }).data.proof);
  } catch (error) {
    if (!isRefusal(error, 'record.not-found')) throw error;
    return { state: /erased/i.test(error.detail) ? 'erased' : 'waiting' };
  }
  const text = await records.changeText(...args);
  if (!isSameVersion(readJson(text) as unknown as Signed, shown)) return { state: 'other' };
  const version = { text, kind: kind.record, luid, change, action };
  const verdict = judgeInclusion(proof, version, ledger.pin, readPolicy(policy));
  return { state: 'sealed', verdict, tree: await followTree(ledger, verdict.checkpoint), text, proof };
}
