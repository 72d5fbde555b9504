import { type ErasedIntentsSummary, sentenceOnErasedIntents } from './erased/intents.js';
import type { FindingRule } from './finding.js';

/** What was looked at, and what could not be. */
export interface Summary {
  readonly records: number;
  readonly changes: number;
  /** Signatures that were verified; those that versions share count once. */
  readonly signatures: number;
  readonly intents: number;
  readonly movements: number;
  readonly balances: number;
  readonly limits: number;
  /** The log that changes were held against: its leaves, changes that wait for one, and changes whose text was erased. */
  readonly log?: {
    readonly origin: string;
    readonly leaves: number;
    readonly waiting: number;
    readonly erased: number;
    /** With a policy that is met: leaves that its witnesses have seen, and leaves behind those. */
    readonly cosigned?: { readonly size: number; readonly behind: number };
  };
  /** Changes whose text was erased, and names that stay taken of their records; absent where there are none. */
  readonly erased?: { readonly changes: number; readonly names: number };
  /** Intents whose texts were erased, and what rests on them; absent where there are none. */
  readonly erasedIntents?: ErasedIntentsSummary;
  /** What was checked, one sentence each. */
  readonly checked: readonly string[];
  /** What nobody can tell from what there is, or what was not there to be checked. */
  readonly unchecked: readonly string[];
}

/** What the sentences depend on. */
export interface SummaryFacts {
  readonly counts: Omit<Summary, 'log' | 'erased' | 'erasedIntents' | 'checked' | 'unchecked'>;
  readonly isPinned: boolean;
  readonly systemKey: string;
  readonly isWhole: boolean;
  /** Of a file, its log tells whether something was left out. */
  readonly isFile: boolean;
  readonly hasEntries: boolean;
  /** Whether balances were compared with the replay. */
  readonly hasMoney: boolean;
  /** Versions of which a moment, or labels, are signed by nobody. */
  readonly unsigned: { readonly moments: number; readonly requests: number };
  /** Versions whose moment is before that of the version before. */
  readonly setBack: number;
  readonly openIntents: number;
  readonly stateLines: number;
  /** Signers that proofs name, and that were not there to be compared. */
  readonly unknownSigners: number;
  /** What something was found of: of that it is not said that it holds. */
  readonly failed: ReadonlySet<FindingRule>;
  /** Movements that only a limit of an earlier symbol of the same handle allows, and limits that are stated of symbols that are gone. */
  readonly outlived: { readonly movements: number; readonly limits: number };
  /** Changes whose text was erased, and wallets and intents among their records. */
  readonly erased: {
    readonly changes: number;
    readonly names: number;
    readonly wallets: number;
    readonly intents: ErasedIntentsSummary | undefined;
  };
}

export function summarize(looked: SummaryFacts): Summary {
  const { counts } = looked;
  const { intents } = looked.erased;
  const sound = (...rules: FindingRule[]) => !rules.some((rule) => looked.failed.has(rule));
  const hasIntents = counts.intents > 0 && sound('trail');
  const money = hasIntents && looked.hasMoney && sound('money');
  const checked = [
    sound('form', 'hash', 'history') &&
      `${counts.changes - looked.erased.changes} versions of ${counts.records} records: form, hash, and each version after the one before it.`,
    sound('proof', 'signer') && `${counts.signatures} signatures: digest and key of each, and whose keys they are.`,
    sound('proof', 'meta') &&
      `Each version by its ledger's own proof: moment, status, owners, labels and domain by the proofs that give them.`,
    sound('ledger') && `Each proof of a client counts for one record, and each handle for one living record of a kind.`,
    hasIntents && !money && `${counts.intents} intents: entries by their claims, trail and status of every version.`,
    money &&
      `${counts.intents} intents: entries by their claims, trail and status of every version; ` +
        `${counts.movements} movements replayed by their moments${(intents?.unjudged ?? 0) > 0 ? '' : ', none below its minimum'}.`,
    counts.balances > 0 &&
      looked.hasMoney &&
      sound('money') &&
      `${counts.balances} balances and ${counts.limits} limits against the replay.`,
    looked.hasEntries &&
      sound('money') &&
      `Every movement that was noted${(intents?.movements ?? 0) > 0 ? ', but those of erased intents,' : ''} against the proof that says so.`,
  ].filter((sentence) => typeof sentence === 'string');
  const { changes, names } = looked.erased;
  const erased = changes > 0 ? { erased: { changes, names } } : {};
  return {
    ...counts,
    ...erased,
    ...(intents ? { erasedIntents: intents } : {}),
    checked,
    unchecked: sentencesOnUnchecked(looked),
  };
}

function sentencesOnUnchecked(looked: SummaryFacts): string[] {
  const { counts, unsigned, setBack, openIntents, stateLines, unknownSigners } = looked;
  const open = [
    !looked.isPinned &&
      `That ${looked.systemKey} is the ledger's key: compare it with one you noted, or give it with --key.`,
    !looked.isFile &&
      'Whether later versions, or whole records, were left out at the end: only who has seen them can tell.',
    looked.isWhole
      ? 'Whether the rules of the moment allowed each write: that is decided by the ledger, and its proof says it did.'
      : 'Records that the token may not read, and dropped records that nobody named.',
    !looked.hasMoney &&
      counts.balances + counts.intents > 0 &&
      'Balances and limits: intents that the token may not read may have changed them. --complete compares them.',
    unsigned.moments > 0 &&
      `The moment of ${unsigned.moments} versions that a proof of a client or bridge has made: nobody signs it.`,
    setBack > 0 &&
      `Whether clocks were right: ${setBack} versions have an earlier moment than the one before, as when a clock is set back.`,
    unsigned.requests > 0 &&
      `What ${unsigned.requests} writes by token asked for beside their data: system.auth signs that there was a token, not all of it.`,
    openIntents > 0 && `${openIntents} intents under way: what they will do is open.`,
    counts.intents > 0 && 'The order of intents within one millisecond, and what counts against daily limits.',
    counts.intents > 0 && 'Which wallet an address led to: the ledger signs the result alone.',
    looked.outlived.movements > 0 &&
      `Whether ${looked.outlived.movements} movements were below a minimum: a limit of an earlier symbol of the same handle allows them, as it did up to release 0.2.0.`,
    looked.outlived.limits > 0 &&
      `${looked.outlived.limits} limits of symbols that are gone, which a release up to 0.2.0 has kept: an import leaves them out.`,
    stateLines > 0 &&
      `${stateLines} lines of the server's own state (intents under way, deliveries, schedules, names that stay taken, secrets): no proof is about them.`,
    looked.erased.wallets > 0 &&
      `The minimum balances of ${looked.erased.wallets} wallets whose texts were erased, and which movements were theirs.`,
    sentenceOnErasedIntents(looked.erased.intents),
    (looked.erased.intents?.unjudged ?? 0) > 0 &&
      `The minimum balances of ${looked.erased.intents?.unjudged} wallets: erased intents may have set them.`,
    (looked.erased.intents?.uncompared ?? 0) > 0 &&
      `${looked.erased.intents?.uncompared} balances: erased intents have moved what erased wallets of these handles had.`,
    unknownSigners > 0 && `The names of ${unknownSigners} signers on proofs, whose records were not there.`,
  ];
  return open.filter((sentence): sentence is string => typeof sentence === 'string');
}
