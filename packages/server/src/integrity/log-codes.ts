import { createHmac } from 'node:crypto';
import { createShortHmac } from './mac.js';

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
