import { LruCache } from '../base/lru-cache.js';
import { epochOf } from '../store/epoch-guard.js';
import { sequencerLimits } from './sequencer-limits.js';
import type { Waiting } from './waiting.js';

/** The epochs in which handles came into use, by key. */
const createUsedHandles = () => new LruCache<string, { readonly epoch: number }>(sequencerLimits.handles);

/** The intents of one ledger that wait for their decision, in their order. */
export class Queue {
  readonly #intents: Waiting[] = [];
  /**
   * Keys of new intents whose handles came into use of late. Handles of intents stay in use, unless the database goes on from an
   * earlier state: its ledgers have a new epoch then.
   */
  #used = createUsedHandles();
  /** Keys of intents that blocked their batch again and again, for a cause that is not known. Each is stored alone. */
  readonly #apart = new Set<string>();

  get size(): number {
    return this.#intents.length;
  }

  add(one: Waiting): void {
    this.#intents.push(one);
  }

  /** Queues those that are decided anew, before all others. */
  requeue(intents: readonly Waiting[]): void {
    this.#intents.unshift(...intents);
  }

  /**
   * Removes the first intents, `room` of them at most. Of two with one key the later waits until the earlier is stored. New ones
   * whose handle is known to be in use are answered: each would else have the others of its batch decided anew. So would one
   * that is set apart: it is removed alone, when nothing else is under way.
   *
   * @param underWay intents that are not stored yet
   */
  dequeue(room: number, underWay: readonly Waiting[]): Waiting[] {
    if (underWay.some((one) => this.#isApart(one))) return [];
    const keys = new Set(underWay.map(({ key }) => key));
    const dequeued: Waiting[] = [];
    const deferred: Waiting[] = [];
    let seen = 0;
    while (dequeued.length < room && seen < this.#intents.length) {
      const one = this.#intents[seen]!;
      if (this.#isApart(one) && dequeued.length + underWay.length > 0) break;
      seen += 1;
      if (this.#answerDuplicate(one)) continue;
      if (this.#isApart(one)) {
        dequeued.push(one);
        break;
      }
      (keys.has(one.key) ? deferred : dequeued).push(one);
      keys.add(one.key);
    }
    this.#intents.splice(0, seen, ...deferred);
    return dequeued;
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
    this.noteUsed(one, version);
  }

  /** Notes that the handle of a new intent is in use. @param version of the ledger then */
  noteUsed({ key, accepted }: Waiting, version: number): void {
    if (accepted) this.#used.set(key, { epoch: epochOf(version) });
  }

  #answerDuplicate({ key, session, accepted, resolve }: Waiting): boolean {
    const { version } = session.ledger;
    if (!accepted || this.#used.get(key)?.epoch !== epochOf(version)) return false;
    resolve({ result: 'duplicated', version });
    return true;
  }

  /** Frees what it remembers. */
  forget(): void {
    this.#used = createUsedHandles();
    this.#apart.clear();
  }

  /** Removes all of them. */
  drain(): Waiting[] {
    return this.#intents.splice(0);
  }
}
