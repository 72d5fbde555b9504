import { decodeBase64, encodeHex } from '@countersign/protocol';
import {
  checkProofFile,
  commitmentOf,
  entryOf,
  LogError,
  leafHash,
  noteKey,
  type OpenedCheckpoint,
  openCheckpoint,
  type Policy,
  parseCheckpoint,
  parseNote,
  parsePolicy,
  parseProofFile,
  SALT_BYTES,
} from '@countersign/protocol/log';

/** A version of a record, as its leaf commits to it. */
export interface LoggedVersion {
  /** As it was served, byte for byte. */
  readonly text: string;
  readonly kind: string;
  readonly luid: string;
  readonly change: number;
  readonly action: string;
}

/** The ledger whose log is looked at. */
export interface LogOwner {
  readonly luid: string;
  /** The key of its `system`, base64. */
  readonly key: string;
}

/** That a version is in the log, each step computed here. */
export interface SealedVerdict {
  readonly origin: string;
  readonly index: number;
  readonly size: number;
  readonly commitment: string;
  readonly leaf: string;
  /** Hashes on the way from the leaf to the root. */
  readonly steps: number;
  readonly root: string;
  /** The signed checkpoint. */
  readonly checkpoint: string;
  /** Witnesses of the policy that have cosigned, with the Unix time in seconds of each. */
  readonly witnesses: ReadonlyMap<string, number>;
}

/** The origin of a log of Countersign, which has the luid of its ledger without the first character. */
const ORIGIN = /\/log\/(ldg\.[\w-]+)(?:\/\d+)?$/;

/**
 * Checks that a version is in the log of its ledger.
 *
 * @param proof a tlog-proof
 * @param policy whose witnesses are looked for; its quorum is for the caller to see
 * @throws LogError when it is not shown
 */
export function judgeInclusion(
  proof: string,
  version: LoggedVersion,
  ledger: LogOwner,
  policy: Policy | undefined,
): SealedVerdict {
  const { extra: salt, checkpoint, proof: path } = parseProofFile(proof);
  const { origin } = parseCheckpoint(parseNote(checkpoint).text);
  if (salt?.length !== SALT_BYTES) throw new LogError('malformed', 'the proof has no salt');
  const commitment = commitmentOf({ salt, ledger: ledger.luid, ...version });
  const entry = entryOf(commitment);
  const found = checkProofFile(proof, entry, logPolicy(origin, ledger, policy));
  return {
    origin,
    index: found.index,
    size: found.checkpoint.size,
    commitment: encodeHex(commitment),
    leaf: encodeHex(leafHash(entry)),
    steps: path.length,
    root: encodeHex(found.checkpoint.root),
    checkpoint,
    witnesses: found.witnesses,
  };
}

/**
 * Reads a checkpoint that the ledger has signed.
 *
 * @throws LogError when it has not, or the checkpoint is of another log
 */
export function openOwnCheckpoint(signed: string, ledger: LogOwner): OpenedCheckpoint {
  const { origin } = parseCheckpoint(parseNote(signed).text);
  return openCheckpoint(signed, logPolicy(origin, ledger, undefined).logs);
}

/** A policy as it was pasted. @throws LogError for what is none */
export function readPolicy(text: string): Policy | undefined {
  return text.trim() === '' ? undefined : parsePolicy(text);
}

/** The key of the ledger under the name of its log, and the witnesses of a policy; none of them is asked for. */
function logPolicy(origin: string, { luid, key }: LogOwner, policy: Policy | undefined): Policy {
  if (`$${ORIGIN.exec(origin)?.[1]}` !== luid) throw new LogError('unverified', `${origin} is not the log of ${luid}`);
  const publicKey = decodeBase64(key);
  if (publicKey === undefined) throw new LogError('malformed', 'the key of the ledger is not a public key');
  const { witnesses = new Map(), groups = new Map() } = policy ?? {};
  return { logs: [noteKey(origin, 'note', publicKey)], witnesses, groups, quorum: undefined };
}
