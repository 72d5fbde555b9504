import { isObject, type Json, readJson, type Suite } from '@countersign/protocol';
import {
  checkProofFile,
  commitmentOf,
  entryOf,
  type Inclusion,
  LogError,
  type Policy,
  parseCheckpoint,
  parseNote,
  parseProofFile,
  SALT_BYTES,
} from '@countersign/protocol/log';
import { kindOfLuid } from '@countersign/verifier';
import type { Invocation } from '../../description/invocation.js';
import { Failure, usage } from '../../terminal/failure.js';

/** What the file with the record's text is held against. */
export interface ProvenVersion {
  /** A version of a record as it was served, byte for byte. */
  readonly text: string;
  readonly change: number;
  /** A tlog-proof. */
  readonly proof: string;
  /** The log's key, and the witnesses that are needed. */
  readonly policy: Policy;
}

/** A luid in the origin of a log, which lacks its first character there. */
const LEDGER_ORIGIN = /\/log\/(ldg\.[\w-]+)(?:\/\d+)?$/;

/**
 * Verifies that a version of a record is in the log of its ledger, offline.
 *
 * @throws Failure when it is not, or the files are of another form
 */
export function verifyInLog(
  invocation: Invocation,
  { text, change, proof, policy }: ProvenVersion,
  suite: Suite,
): void {
  const { output } = invocation;
  try {
    const { extra: salt, checkpoint } = parseProofFile(proof);
    const { origin } = parseCheckpoint(parseNote(checkpoint).text);
    const ledger = LEDGER_ORIGIN.exec(origin)?.[1];
    if (salt?.length !== SALT_BYTES || ledger === undefined)
      throw usage('The proof is not of a ledger of Countersign.');
    const { luid, kind } = identifyRecord(text);
    const entries = possibleActions(change).map((action) =>
      entryOf(commitmentOf({ salt, ledger: `$${ledger}`, kind, luid, change, action, text })),
    );
    const {
      index,
      checkpoint: tree,
      witnesses,
    } = firstIncluded(entries, (entry) => checkProofFile(proof, entry, policy, suite));
    const told = { ok: true, origin, index, size: tree.size, luid, change, witnesses: [...witnesses.keys()] };
    output.result(
      told as unknown as Json,
      () => `change ${change} of ${kind} ${luid} is leaf ${index} of ${origin}, of ${tree.size}.`,
    );
    output.done('Verified: it is in the log.');
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    const advice =
      'Give the answer of the server to the byte, as `countersign curl GET …` writes it, or the number of its change.';
    throw new Failure('refused', `This is not shown to be in the log: ${error.detail}. ${advice}`);
  }
}

/** The text does not say by what its version came about. */
function possibleActions(change: number): readonly string[] {
  return change === 1 ? ['create'] : ['update', 'drop', 'erase'];
}

function firstIncluded(entries: readonly Uint8Array[], check: (entry: Uint8Array) => Inclusion): Inclusion {
  const [entry, ...others] = entries;
  try {
    return check(entry!);
  } catch (error) {
    if (!(error instanceof LogError) || others.length === 0) throw error;
    return firstIncluded(others, check);
  }
}

function identifyRecord(text: string): { luid: string; kind: string } {
  const record = parseText(text);
  const luid = isObject(record) ? record.luid : undefined;
  const kind = typeof luid === 'string' ? kindOfLuid(luid) : undefined;
  if (kind === undefined) throw usage('The file holds no record as a ledger serves it.');
  return { luid: luid as string, kind };
}

function parseText(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
