import { decodeBase64, type Suite } from '@countersign/protocol';
import {
  formatCheckpoint,
  formatNote,
  type NoteKey,
  noteKey,
  type RightEdge,
  signNote,
} from '@countersign/protocol/log';
import type { ServerKey } from '../keys/signing-key.js';

/** The key that a log's checkpoints are verified with: that of the ledger's `system` signer, under the log's name. */
export function checkpointKey(origin: string, key: Pick<ServerKey, 'public'>): NoteKey {
  return noteKey(origin, 'note', decodeBase64(key.public)!);
}

/** A signed checkpoint of a tree (interface/log#checkpoint). */
export async function signCheckpoint(origin: string, edge: RightEdge, key: ServerKey, suite: Suite): Promise<string> {
  const text = formatCheckpoint({ origin, size: edge.size, root: edge.root() });
  const signature = await signNote(text, checkpointKey(origin, key), (message) => suite.sign(message, key.secret));
  return formatNote({ text, signatures: [signature] });
}
