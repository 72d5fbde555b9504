import { encodeBase64 } from '@countersign/protocol';
import {
  commitmentOf,
  entryOf,
  formatCheckpoint,
  formatNote,
  leafHash,
  noteKey,
  rootOf,
  signNote,
} from '@countersign/protocol/log';
import type { LogHead } from '@countersign/verifier';
import { native } from '../../../src/auth/native-suite.js';
import { sha256 } from '../../../src/base/sha256.js';
import type { ServerKey } from '../../../src/keys/signing-key.js';
import { createSystemKeyOf } from '../../../src/log/system-keys.js';
import { createSystemKeys } from '../../../src/store/queries/ledgers.js';
import { keyringOf } from '../../support/keyring.js';
import type { RunningServer } from '../../support/server.js';
import { sealedAnew, withPool } from '../support.js';

/** A line of an export that may be altered. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into lines
export type DraftLine = any;

/** An export that is about to be altered. */
export class Draft {
  private constructor(public lines: DraftLine[]) {}

  static of(text: string): Draft {
    return new Draft(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  }

  get header(): DraftLine {
    return this.lines[0];
  }

  get changes(): DraftLine[] {
    return this.lines.filter(({ line }) => line === 'change');
  }

  /** Changes that are leaves, in the order of the log. */
  get leaves(): DraftLine[] {
    return this.lines.filter(isLeaf).sort((one, other) => indexOf(one) - indexOf(other));
  }

  changesOf(luid: string): DraftLine[] {
    return this.changes.filter((line) => line.luid === luid);
  }

  /** Takes lines out; the first line promises as many fewer. */
  remove(lines: readonly DraftLine[]): void {
    this.lines = this.lines.filter((line) => !lines.includes(line));
    this.header.changes = this.changes.length;
  }

  /** The text, with an end that fits. */
  text(): string {
    return sealedAnew(`${this.lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }

  /** Makes the log anew, as who has the key can: the leaves in the order that they are in, without gaps, and signed. */
  async reseal(key: ServerKey): Promise<void> {
    for (const [index, line] of this.leaves.entries()) {
      if (line.leaf) line.leaf.index = index;
      else line.index = index;
    }
    await this.sign(
      key,
      this.leaves.map((line) => leafOf(line, this.header.ledger.luid)),
    );
  }

  /** Signs a checkpoint of the tree of these hashes. */
  async sign(key: ServerKey, hashes: readonly Uint8Array[]): Promise<void> {
    const log: LogHead = this.header.log;
    const checkpoint = await signed(key, log.origin, hashes);
    this.header.log = { ...log, size: hashes.length, checkpoint };
  }

  /** The hashes of the leaves, in their order. */
  hashes(): Uint8Array[] {
    return this.leaves.map((line) => leafOf(line, this.header.ledger.luid));
  }
}

/** A checkpoint of the tree of these hashes, as the ledger signs it. */
export async function signed(key: ServerKey, origin: string, hashes: readonly Uint8Array[]): Promise<string> {
  const text = formatCheckpoint({ origin, size: hashes.length, root: rootOf(hashes, sha256) });
  const name = noteKey(origin, 'note', native.publicKey(key.secret));
  const signature = await signNote(text, name, (message) => native.sign(message, key.secret));
  return formatNote({ text, signatures: [signature] });
}

/** The key of the ledger's `system` signer, as the operator can open it. */
export function systemKey(server: RunningServer, handle: string): Promise<ServerKey> {
  return withPool(server, async (pool) => {
    const { rows } = await pool.query<{ id: number }>('select id from ledger where handle = $1', [handle]);
    return (await createSystemKeyOf(
      await keyringOf(server.database.url),
      native,
      createSystemKeys(pool),
    )(Number(rows[0]!.id)))!;
  });
}

export function indexOf(line: DraftLine): number {
  return line.leaf ? line.leaf.index : line.index;
}

function isLeaf(line: DraftLine): boolean {
  return line.line === 'leaf' || (line.line === 'change' && line.leaf !== undefined);
}

function leafOf(line: DraftLine, ledger: string): Uint8Array {
  if (line.text === null) return leafHash(entryOf(Buffer.from(line.leaf.commitment, 'base64')), sha256);
  const salt = Buffer.from(line.leaf ? line.leaf.salt : line.salt, 'base64');
  const { kind, luid, change, action, text } = line;
  return leafHash(entryOf(commitmentOf({ salt, ledger, kind, luid, change, action, text }, sha256)), sha256);
}

/** The public half as it stands in proofs. */
export function publicOf(key: Pick<ServerKey, 'secret'>): string {
  return encodeBase64(native.publicKey(key.secret));
}
