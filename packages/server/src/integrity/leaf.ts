import { commitmentOf, HASH_BYTES, SALT_BYTES } from '@countersign/protocol/log';
import type { Runtime } from '../base/clock.js';
import { sha256 } from '../base/sha256.js';
import type { KindName } from '../kinds/kind.js';
import type { CodedVersion } from './mac.js';

/** The leaf of a change whose text is erased, as `MakeLeaf` has them: with zeros where the salt was. */
export function makeClosedLeaf(commitment: Uint8Array): string {
  return Buffer.concat([Buffer.alloc(SALT_BYTES), commitment]).toString('base64');
}

/** Random bytes that a leaf takes. */
export const LEAF_RANDOM_BYTES = SALT_BYTES;

/** Makes the leaf of a version in its ledger's log: 64 characters of base64, of a random salt and the commitment. */
export type MakeLeaf = (ledger: string, kind: KindName, version: CodedVersion) => string;

/**
 * Leaves are made in the process that decides on a version, and queued with a code (log-codes.ts): what enters the log is what the
 * ledger has answered.
 *
 * @param random draws the salts, without which a leaf tells nothing about its version
 */
export function createMakeLeaf(random: Runtime['random']): MakeLeaf {
  const leaf = Buffer.alloc(SALT_BYTES + HASH_BYTES);
  return (ledger, kind, { luid, change, action, body: text }) => {
    const salt = random(LEAF_RANDOM_BYTES);
    leaf.set(salt);
    leaf.set(commitmentOf({ salt, ledger, kind, luid, change, action, text }, sha256), SALT_BYTES);
    return leaf.toString('base64');
  };
}
