import type { ReportFinding } from '../finding.js';
import type { StateLine } from '../lines.js';

/** The secret of a ledger that holds the key of its veiled names. */
const VEIL_KEY = 'veil';

/**
 * Names that stay taken of erased records, veiled: proofs that were used, and handles of intents. Nobody signs them, and
 * without the key of the ledger nobody can compare them. A ledger that is made of an export without them would carry out
 * a payment anew that was erased.
 */
export class TakenNames {
  /** Luids of erased records: of intents whether a name of theirs was there. */
  readonly #erased = new Map<string, 'intent' | 'named' | 'other'>();
  #last = '';
  #count = 0;
  #hasKey = false;

  constructor(
    /** Luid. */
    private readonly ledger: string,
    /** Whether the file has keys: names without theirs are of no use. */
    private readonly hasSecrets: boolean,
    private readonly report: ReportFinding,
  ) {}

  /** Names that were there. */
  get count(): number {
    return this.#count;
  }

  /** Takes an erased record. */
  noteErased(kind: string, luid: string): void {
    this.#erased.set(luid, kind === 'intent' ? 'intent' : 'other');
  }

  addSecret({ luid, name }: StateLine): void {
    if (luid === this.ledger && name === VEIL_KEY) this.#hasKey = true;
  }

  add(line: StateLine): void {
    const { luid, name } = line as unknown as { readonly luid: string; readonly name: string };
    this.#count += 1;
    const fault = (detail: string) => this.report({ luid }, 'ledger', detail);
    const of = this.#erased.get(luid);
    if (of === undefined) fault('has a name that stays taken, and is not erased');
    if (of === 'intent') this.#erased.set(luid, 'named');
    if (!/^[0-9a-f]{32}$/.test(name)) fault('has a name that stays taken, of another form than a veiled one');
    else if (name <= this.#last) fault(`has the name ${name} that stays taken out of order`);
    else this.#last = name;
  }

  end(): void {
    const place = { kind: 'ledger', luid: this.ledger };
    if (this.#count > 0 && !this.#hasKey)
      this.report(place, 'ledger', 'has names that stay taken, and no key that they are veiled with');
    if (!this.hasSecrets) return;
    for (const [luid, of] of this.#erased) {
      if (of === 'intent')
        this.report({ kind: 'intent', luid }, 'ledger', 'is erased, and no name of it is among those that stay taken');
    }
  }
}
