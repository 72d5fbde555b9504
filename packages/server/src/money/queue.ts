import { LruCache } from '../base/lru-cache.js';
import { epochOf } from '../store/epoch-guard.js';
import { sequencerLimits } from './sequencer-limits.js';
import type { Waiting } from './waiting.js';

/** The epochs in which handles were taken, by key. */
const rememberTaken = () => new LruCache<string, { readonly epoch: number }>(sequencerLimits.handles);

/** The intents of one ledger that wait for their decision, in their order. */
export class Queue {
  readonly #intents: Waiting[] = [];
  /**
   * Keys of new intents whose handles were taken of late. Handles of intents stay taken, unless the database goes on from an
   * earlier state: its ledgers have a new epoch then.
   */
  #taken = rememberTaken();
  /** Keys of intents that blocked their batch again and again, for a cause that is not known. Each is stored alone. */
  readonly #apart = new Set<string>();

  get size(): number {
    return this.#intents.length;
  }

  add(one: Waiting): void {
    this.#intents.push(one);
  }

  /** Puts back those that are decided anew, before all others. */
  putBack(intents: readonly Waiting[]): void {
    this.#intents.unshift(...intents);
  }

  /**
   * Takes the first intents, `room` of them at most. Of two with one key the later waits until the earlier is stored. New ones
   * whose handle is known to be taken are answered: each would else have the others of its batch decided anew. So would one
   * that is set apart: it is taken alone, when nothing else is under way.
   *
   * @param underWay intents that are not stored yet
   */
  take(room: number, underWay: readonly Waiting[]): Waiting[] {
    if (underWay.some((one) => this.#isApart(one))) return [];
    const keys = new Set(underWay.map(({ key }) => key));
    const taken: Waiting[] = [];
    const held: Waiting[] = [];
    let seen = 0;
    while (taken.length < room && seen < this.#intents.length) {
      const one = this.#intents[seen]!;
      if (this.#isApart(one) && taken.length + underWay.length > 0) break;
      seen += 1;
      if (this.#answerTaken(one)) continue;
      if (this.#isApart(one)) {
        taken.push(one);
        break;
      }
      (keys.has(one.key) ? held : taken).push(one);
      keys.add(one.key);
    }
    this.#intents.splice(0, seen, ...held);
    return taken;
  }

  /** Has the intent stored alone from now on. */
  setApart({ key }: Waiting): void {
    const [oldest] = this.#apart;
    if (oldest !== undefined && this.#apart.size >= sequencerLimits.handles) this.#apart.delete(oldest);
    this.#apart.add(key);
  }

  #isApart({ key }: Waiting): boolean {
    return this.#apart.has(key);
  }

  /** Notes that it is stored. @param version of the ledger then */
  noteStored(one: Waiting, version: number): void {
    this.#apart.delete(one.key);
    this.noteTaken(one, version);
  }

  /** Notes that the handle of a new intent is taken. @param version of the ledger then */
  noteTaken({ key, accepted }: Waiting, version: number): void {
    if (accepted) this.#taken.set(key, { epoch: epochOf(version) });
  }

  #answerTaken({ key, session, accepted, resolve }: Waiting): boolean {
    const { version } = session.ledger;
    if (!accepted || this.#taken.get(key)?.epoch !== epochOf(version)) return false;
    resolve({ result: 'duplicated', version });
    return true;
  }

  /** Frees what it remembers. */
  forget(): void {
    this.#taken = rememberTaken();
    this.#apart.clear();
  }

  /** Takes all of them. */
  empty(): Waiting[] {
    return this.#intents.splice(0);
  }
}
