import { AnswerError, type RecordName } from '@countersign/client';
import { DESCRIPTION } from '@countersign/client/description';
import { recordVerifier } from '@countersign/client/record-verifier';
import { isObject } from '@countersign/protocol';
import { idIn, type WriteRoute } from './route.js';

/** The ledger of a context, and the key that was noted of it. */
export interface PinnedLedger {
  readonly ledger: string;
  readonly system: string;
}

/** A version that may be signed. */
export interface SignableVersion {
  readonly hash: string;
  readonly luid: string;
}

type RecordVerifier = ReturnType<typeof recordVerifier>;

/** Ledgers whose keys are remembered: callers name them, and what they make up must not pile up. */
const LEDGERS = 100;

/**
 * Records that are read in order to sign something about them. A server could name any hash and have it signed: what it
 * answers must be the record that was asked for, with the ledger's own signature.
 */
export class TrustedRecords {
  readonly #verifiers = new Map<string, RecordVerifier>();

  /** @param pinned without it, the first key of each ledger is trusted, and held to */
  constructor(private readonly pinned?: PinnedLedger) {}

  /**
   * Reads the record of a route.
   *
   * @param ledger that the request names
   * @param ask gives the body of the answer
   * @throws AnswerError when it does not verify; what `ask` throws
   */
  async read(route: WriteRoute, ledger: string | undefined, ask: () => Promise<unknown>): Promise<SignableVersion> {
    const verifier = this.#verifierOf(route.ledger ?? ledger ?? '');
    const { id, parent } = idIn(route.record);
    const record = route.kind as RecordName | undefined;
    const found = await verifier(record, id, ask);
    const above = DESCRIPTION.find((kind) => kind.record === record)?.parent;
    if (above !== undefined && parent !== undefined && !parent.startsWith('$')) {
      const named = isObject(found.data as never) ? found.data[above] : undefined;
      if (named !== parent)
        throw new AnswerError('record', `${found.luid} lies below ${named}, and not below ${parent}`);
    }
    return { hash: found.hash, luid: found.luid };
  }

  #verifierOf(ledger: string): RecordVerifier {
    const known = this.#verifiers.get(ledger);
    if (known !== undefined) return known;
    if (this.#verifiers.size >= LEDGERS) this.#verifiers.clear();
    const made = recordVerifier(this.pinned?.ledger === ledger ? { systemKey: this.pinned.system } : {});
    this.#verifiers.set(ledger, made);
    return made;
  }
}
