import type { JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Write } from '../store/committer/write.js';
import { recordText } from './version.js';

/** What is signed of an erasure (interface/records#erase). It names the record by luid, and holds nothing of it. */
export type ErasureData = JsonObject & {
  readonly luid: string;
  /** Number of its last change. */
  readonly change: number;
  readonly reason: string;
};

/** A record that is erased, as far as the change that erases it says it. */
export interface ErasedVersion {
  readonly kind: Kind;
  readonly data: ErasureData;
  readonly hash: string;
  /** That of the record, which rules are found by. */
  readonly domain: string | undefined;
  readonly proofs: readonly StoredProof[];
  readonly moment: string;
}

/** What the ledger signs beside the hash of an erasure. */
export function erasureCustom({ luid }: ErasureData, moment: string): JsonObject {
  return { luid, moment, status: 'erased' };
}

/** The last change of a record: a statement in the form of a record, without any of its members. */
export function erasureWrite(
  { id, version }: Pick<Ledger, 'id' | 'version'>,
  { kind, data, hash, domain, proofs, moment }: ErasedVersion,
): Omit<Write, 'proofs' | 'veiled' | 'mac' | 'leaves' | 'assumedUnregistered'> {
  const { luid, change } = data;
  const meta = {
    proofs: [...proofs],
    status: 'erased',
    moment,
    owners: [],
    domain,
  };
  return {
    ledger: id,
    version,
    action: 'erase',
    kind: kind.name,
    key: luid,
    luid,
    change: change + 1,
    moment,
    hash,
    status: 'erased',
    domain,
    link: undefined,
    proven: false,
    document: '{}',
    body: recordText({ hash, data, luid, meta } as RecordEnvelope),
    mustExist: [],
    // What processes have cached of the ledger is read again.
    bumpsRules: true,
  };
}
