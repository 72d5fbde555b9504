import type { LogHead } from '../lines.js';

/** What the sentences on the log depend on. */
export interface LogFacts {
  readonly head: LogHead | undefined;
  /** Changes without a leaf, and the moment of the oldest. */
  readonly waiting: number;
  readonly oldest: string | undefined;
  readonly erased: number;
  /** Of these, those that the log of an imported ledger does not have. */
  readonly named: number;
  /** Checkpoints of this generation from elsewhere. */
  readonly held: number;
  /** Those of earlier ones: which are what this one goes on from, and which nothing here tells of. */
  readonly earlier: { readonly same: number; readonly unknown: number };
  /** Whether nothing was found: only then is it said that something holds. */
  readonly isSound: boolean;
  /** Of a policy: the witnesses that cosigned, and how many leaves of it. */
  readonly cosigned: { readonly witnesses: readonly string[]; readonly size: number } | undefined;
}

/** What was checked of the log, and what could not be. */
export function logSentences(looked: LogFacts): { checked: string[]; unchecked: string[] } {
  const { head, waiting, oldest, held, earlier, isSound, cosigned } = looked;
  if (!head) return { checked: [], unchecked: [`${OMISSIONS}: the export has no log.`, ...sentencesOnErased(looked)] };
  const checked = [
    `${head.size} leaves of the log ${head.origin}: each is one change of this file, none is missing, a record's are in ` +
      "their order, and their root is that of the checkpoint, which the ledger's key has signed.",
  ];
  if (earlier.same > 0)
    checked.push(`${earlier.same} checkpoints of an earlier generation: this one names them as the last of that.`);
  if (held > 0) checked.push(`${held} checkpoints from elsewhere: the log goes on from each.`);
  if (cosigned)
    checked.push(`The first ${cosigned.size} leaves are what ${cosigned.witnesses.join(', ')} have cosigned.`);
  const since = cosigned && cosigned.size < head.size ? head.size - cosigned.size : 0;
  const unchecked = [
    held + earlier.same === 0 &&
      !cosigned &&
      `${OMISSIONS}, and the log made anew: a checkpoint that was kept from before (--checkpoint), or witnesses (--policy), tell.`,
    since > 0 && `Whether the log stays as it is behind leaf ${cosigned!.size}: no witness has seen ${since} leaves.`,
    earlier.unknown > 0 &&
      `${earlier.unknown} checkpoints of earlier generations: whether those went on from them tells only an export of then.`,
    head.behind && 'Changes from before the log: it is still being made of them.',
    head.stopped !== undefined && `Changes since the log was stopped, because ${head.stopped}`,
    waiting > 0 &&
      `${waiting} changes have no leaf yet, the oldest of ${oldest}: a ledger seals within seconds. One that was deleted before leaves nothing to see.`,
    ...sentencesOnErased(looked),
  ];
  return {
    checked: isSound ? checked : [],
    unchecked: unchecked.filter((one): one is string => typeof one === 'string'),
  };
}

const OMISSIONS = 'Whether changes, or whole records, were left out';

function sentencesOnErased({ erased, named }: LogFacts): string[] {
  const logged = erased - named;
  const sentences = [
    logged > 0 &&
      `${logged} changes whose text was erased: that they are leaves is checked, and nothing that they said.`,
    named > 0 &&
      `${named} changes whose text was erased before an import: the log does not have them, and what the first log had is as the file names it.`,
  ];
  return sentences.filter((one) => typeof one === 'string');
}
