import { encodeBase64, LedgerError } from '@countersign/protocol';
import { checkInclusion, formatProofFile, leafHashOf } from '@countersign/protocol/log';
import { prefers } from '../../base/accept.js';
import { sha256 } from '../../base/sha256.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, type Session } from '../../ledgers/session.js';
import type { ShownCheckpoint } from '../../log/publish.js';
import type { Answer, Command } from '../../records/command.js';
import type { SealedLeaf } from '../../store/log/leaves.js';
import { changeNumber } from '../change-number.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { readableRecord, toVersioned } from '../readable-record.js';
import { NotSealed } from './not-sealed.js';
import { answerSigned, describeSigned } from './signed-data.js';

/**
 * `GET /{kind}s/{id}/changes/{change}/inclusion` (interface/log#inclusion): the proof that a version is in the ledger's
 * log, for who may read that version.
 *
 * @throws `record.not-found` for a change that is missing, not sealed yet, or erased; LogStopped
 */
async function readInclusion(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const number = changeNumber(command.params.change ?? '');
  const isText = prefers(command.request.headers.accept, 'text/plain', 'application/json');
  return inSession(session, async (session) => {
    const { ledger, logs } = session;
    const { record } = await readableRecord(session, kind, command, command.token);
    const leaf = await logs.leaf({ ledger: ledger.id, luid: record.luid, change: number });
    if (!leaf) {
      if (await session.findChange(toVersioned(ledger, kind, record), number)) throw new NotSealed();
      throw new LedgerError('record.not-found', kind.missingChange ?? 'Change not found');
    }
    if (!leaf.salt) throw new LedgerError('record.not-found', 'Change erased');
    const { index, salt } = leaf;
    const shown = await logs.current(ledger.id, index + 1);
    // Sealed, and not in a tree that witnesses have seen.
    if (!shown || shown.size <= index) throw new NotSealed();
    const tree = { ledger: ledger.id, origin: shown.origin, size: shown.size };
    let hashes = await logs.inclusion(tree, index);
    if (!isIncluded(leaf, shown, hashes)) hashes = await logs.inclusion(tree, index, true);
    // The log may have begun anew between these reads.
    if (!isIncluded(leaf, shown, hashes)) throw new NotSealed();
    const proof = formatProofFile({ extra: salt, index, proof: hashes, checkpoint: shown.note });
    if (isText) return { status: 200, body: proof, type: 'text/plain; charset=utf-8' };
    const { origin, size } = shown;
    const commitment = leaf.commitment.toString('hex');
    return answerSigned(session, { origin, index, size, commitment, salt: encodeBase64(salt), proof });
  });
}

function isIncluded(
  { commitment, index }: SealedLeaf,
  { size, root }: ShownCheckpoint,
  proof: readonly Uint8Array[],
): boolean {
  return checkInclusion({ leaf: leafHashOf(commitment, sha256), index, size, root, proof }, sha256);
}

const textType = { type: 'string' };

const INCLUSION_ANSWER = describeSigned({
  origin: { ...textType, description: 'The name of the log.' },
  index: { type: 'integer', minimum: 0, description: 'Position of the leaf.' },
  size: { type: 'integer', minimum: 1, description: 'Leaves of the tree that the proof leads to.' },
  commitment: { ...textType, description: 'What the leaf says of the change: SHA-256, in hex.' },
  salt: { ...textType, description: 'Base64 of 16 bytes, without which nobody can try what the change may be.' },
  proof: { ...textType, description: 'A proof file (`c2sp.org/tlog-proof@v1`), which holds the signed checkpoint.' },
});

/** The operation `inclusion`. */
export const readChangeInclusion: Operation = {
  name: 'inclusion',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('changes'),
  routes: () => [{ method: 'GET', of: 'record', path: '/changes/:change/inclusion' }],
  perform: readInclusion,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found', 'record.schema-invalid'], nested: ['record.invalid'] },
  description: {
    id: (one) => `read${one}Inclusion`,
    summary: (one) => `Prove that a version of ${one} is in the log of the ledger`,
    components: { answers: { inclusion: INCLUSION_ANSWER } },
    answers: () => ({ 200: { text: 'The proof, signed.', component: 'inclusion' } }),
  },
};
