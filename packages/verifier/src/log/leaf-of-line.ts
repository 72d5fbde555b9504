import { decodeBase64 } from '@countersign/protocol';
import { commitmentOf, HASH_BYTES, SALT_BYTES, type Sha256 } from '@countersign/protocol/log';
import type { ChangeLine, ErasedLine, LeafLine } from '../lines.js';

/** A line that has a leaf of its own in the log. */
export interface LoggedLine extends Pick<ChangeLine, 'kind' | 'luid' | 'change'> {
  readonly action: string;
  readonly text: string | null;
  /** Unchecked. */
  readonly leaf?: { readonly index?: number; readonly salt?: unknown; readonly commitment?: unknown };
}

/** The line with the members of its leaf in one place. */
export function toLoggedLine(line: LeafLine | ChangeLine | ErasedLine): LoggedLine {
  if (line.line === 'change') return line;
  const { index, salt, ...others } = line;
  return { ...others, leaf: { index, salt } };
}

/**
 * The commitment to what a line says, made anew of its text and salt; of one that was erased, as it is named.
 *
 * @returns a defect in words, where the line gives none
 */
export function commitmentOfLine(line: LoggedLine, ledger: string, sha: Sha256): Uint8Array | string {
  const { text, leaf, kind, luid, change, action } = line;
  const member = text === null ? 'commitment' : 'salt';
  const extra = Object.keys(leaf!).find((name) => name !== 'index' && name !== member);
  if (extra !== undefined) return `has an unknown member 'leaf.${extra.slice(0, 40)}'`;
  const bytes = decodeBytes(leaf![member], text === null ? HASH_BYTES : SALT_BYTES);
  if (!bytes) return `has no ${member} in 'leaf'`;
  if (text === null) return bytes;
  try {
    return commitmentOf({ salt: bytes, ledger, kind, luid, change, action, text }, sha);
  } catch {
    return 'cannot be made into a leaf';
  }
}

function decodeBytes(text: unknown, length: number): Uint8Array | undefined {
  const bytes = typeof text === 'string' ? decodeBase64(text) : undefined;
  return bytes?.length === length ? bytes : undefined;
}
