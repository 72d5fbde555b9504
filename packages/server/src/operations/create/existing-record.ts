import { LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { assertMayReveal, revealSecrets } from '../../authorization/reveal.js';
import { namesKept } from '../../kinds/erasable.js';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import type { Answer } from '../../records/command.js';
import type { Parent } from '../../records/stored-record.js';
import { recordKeyOf } from '../../records/version.js';
import { findRepeatedCreate } from '../repetition.js';
import { type Creation, describeRecord } from './new-record.js';

/**
 * Whether a record has the key already, or one that was erased had it where names stay taken: checked before a bridge
 * is asked, and again by the commit.
 */
export async function isKeyTaken(session: Session, kind: Kind, made: RecordEnvelope): Promise<boolean> {
  const { store, ledger } = session;
  const key = recordKeyOf(kind, made);
  const query = { ledger: ledger.id, kind: kind.name, id: key, by: 'handle' } as const;
  if ((await store.findVersion(query)).record !== undefined) return true;
  const veiled = namesKept(kind, key).map(ledger.veil);
  return veiled.length > 0 && (await store.usedProofs({ ledger: ledger.id, proofs: [], veiled })).length > 0;
}

/**
 * The answer when the key of a new record is taken.
 *
 * @throws `record.duplicated` unless the same signed body made the record that has it
 */
export async function answerTaken(
  session: Session,
  { kind, data, signed, reveals }: Creation,
  caller: Caller,
  made: RecordEnvelope,
  parent: Parent | undefined,
): Promise<Answer> {
  const taken = { key: recordKeyOf(kind, made), hash: made.hash };
  const repeated = await findRepeatedCreate(session, kind, taken, signed, parent);
  if (repeated === undefined) {
    throw new LedgerError(
      'record.duplicated',
      `${kind.title} with handle ${describeRecord(kind, data)} already exists.`,
    );
  }
  const answer = { status: 200, body: repeated.body, change: repeated.change, stored: 'before' } as const;
  if (!reveals) return answer;
  // Judged on the current record, which may differ from the one this create would make.
  await assertMayReveal(session, kind, caller, repeated.subject);
  return revealSecrets(session, kind, answer);
}
