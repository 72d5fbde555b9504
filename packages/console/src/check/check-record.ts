import type { Signed } from '@countersign/client';
import { isObject, readJson, type StoredProof } from '@countersign/protocol';
import { LogError, parseCheckpoint, parseNote, parseProofFile } from '@countersign/protocol/log';
import { kindOfLuid } from '../kinds/kinds.js';
import { judge, type Verdict } from '../verify/judge.js';
import { judgeInclusion, readPolicy, type SealedVerdict } from '../verify/log.js';

/** What was found of a record from a file. */
export interface RecordResult {
  readonly record: Signed;
  readonly verdict: Verdict;
  /** Whether the key of the ledger was given, rather than taken from the file. */
  readonly isPinned: boolean;
  readonly key: string | undefined;
  /** Of its proof of inclusion, where one was given. */
  readonly sealed?: SealedVerdict;
  readonly change?: number;
  /** Why it is not shown to be in the log. */
  readonly fault?: string;
}

/** Checks a record from a file, and the proof that it is in the log. @returns undefined for what is no record */
export function checkRecord(
  text: string,
  proof: string | undefined,
  given: { readonly key: string; readonly policy: string; readonly change: number },
): RecordResult | undefined {
  const record = parseGivenRecord(text);
  if (record === undefined) return undefined;
  const key = given.key === '' ? record.meta.proofs.findLast(isOfSystem)?.public : given.key;
  const result = { record, key, isPinned: given.key !== '', verdict: judge(record, key) };
  if (proof === undefined || key === undefined) return result;
  try {
    return { ...result, ...provePlace(text, record, proof, { ...given, key }) };
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return { ...result, fault: error.detail };
  }
}

/** The text does not say by what its version came about: each action is tried. @throws LogError */
function provePlace(
  text: string,
  record: Signed,
  proof: string,
  given: { readonly key: string; readonly policy: string; readonly change: number },
): { readonly sealed: SealedVerdict; readonly change: number } {
  const { key, policy, change } = given;
  const ledger = { luid: ledgerOf(proof), key };
  const kind = kindOfLuid(String(record.luid))?.record ?? '';
  let fault: unknown;
  for (const action of change === 1 ? ['create'] : ['update', 'drop', 'erase']) {
    try {
      const version = { text, kind, luid: String(record.luid), change, action };
      return { sealed: judgeInclusion(proof, version, ledger, readPolicy(policy)), change };
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      fault = error;
    }
  }
  throw fault;
}

/** The luid of the ledger whose log a proof is of. */
function ledgerOf(proof: string): string {
  const { origin } = parseCheckpoint(parseNote(parseProofFile(proof).checkpoint).text);
  return `$${/\/log\/(ldg\.[\w-]+)/.exec(origin)?.[1] ?? ''}`;
}

function isOfSystem({ signer }: StoredProof): boolean {
  return signer === 'system';
}

function parseGivenRecord(text: string): Signed | undefined {
  try {
    const value = readJson(text) as Signed;
    const isRecord = [value, value.data, value.meta].every((one) => isObject(one as never));
    return isRecord && Array.isArray(value.meta.proofs) ? value : undefined;
  } catch {
    return undefined;
  }
}
