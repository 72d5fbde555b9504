import { createHmac } from 'node:crypto';
import { commitmentOf, HASH_BYTES, SALT_BYTES } from '@countersign/protocol/log';
import type { Runtime } from '../base/clock.js';
import { sha256 } from '../base/sha256.js';
import type { KindName } from '../kinds/kind.js';
import { type CodedVersion, createShortHmac } from './mac.js';

/** The leaf of a change whose text is erased, as `MakeLeaf` has them: with zeros where the salt was. */
export function makeClosedLeaf(commitment: Uint8Array): string {
  return Buffer.concat([Buffer.alloc(SALT_BYTES), commitment]).toString('base64');
}

/** Random bytes that a leaf takes. */
export const LEAF_RANDOM_BYTES = SALT_BYTES;

/** Makes the leaf of a version in its ledger's log: 64 characters of base64, of a random salt and the commitment. */
export type MakeLeaf = (ledger: string, kind: KindName, version: CodedVersion) => string;

/**
 * Leaves are made in the process that decides on a version, and queued with a code (`LogCodes`): what enters the log is what the
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

/** What follows the leaves of a write in the queue: a dot, and the code. */
const SEPARATOR = '.';

/** A tree as the database keeps it. */
export interface CodedTree {
  readonly generation: number;
  readonly origin: string;
  readonly size: number;
  /** Roots of the full subtrees, 32 bytes each. */
  readonly edge: Uint8Array;
  readonly checkpoint: string | null;
}

/**
 * Codes for what the database keeps of logs, under keys of their own: whoever can write to the database has the ledger sign
 * no tree that the server has not made.
 */
export type LogCodes = ReturnType<typeof createLogCodes>;

/** A write, by the luid of its record and the number of the last change. */
export interface LeavesOf {
  readonly luid: string;
  readonly change: number;
}

/** @param codes 32 bytes, of the keyring */
export function createLogCodes(codes: Buffer) {
  const keyed = (use: string) => createShortHmac(createHmac('sha256', codes).update(use).digest());
  const queued = keyed('countersign:leaves:1');
  const trees = keyed('countersign:trees:1');
  const codeOf = (ledger: number, { luid, change }: LeavesOf, leaves: string) =>
    queued(`${ledger}\n${luid}\n${change}\n${leaves}`);
  return {
    /** The leaves of a write, in base64, with the code that says of which changes they are. */
    codeLeaves: (ledger: number, write: LeavesOf, leaves: string): string =>
      `${leaves}${SEPARATOR}${codeOf(ledger, write, leaves)}`,
    /** The leaves without the code; undefined where it does not hold. */
    openLeaves(ledger: number, write: LeavesOf, coded: string): Buffer | undefined {
      const [leaves = '', code] = coded.split(SEPARATOR);
      return code === codeOf(ledger, write, leaves) ? Buffer.from(leaves, 'base64') : undefined;
    },
    /** The code of a tree. */
    tree(ledger: number, { generation, origin, size, edge, checkpoint }: CodedTree): string {
      const parts = [ledger, generation, origin, size, Buffer.from(edge).toString('base64'), checkpoint];
      return trees(JSON.stringify(parts));
    },
  };
}
