import { luid as makeLuid, type RecordEnvelope } from '@countersign/protocol';
import type { Move } from '@countersign/protocol/trail';
import type { Session } from '../ledgers/session.js';
import { type Books, moveEntries } from './accounts/books.js';
import { countDaily, countsDaily, findExceededLimit, findFull, setLimits } from './accounts/wallet-limits.js';
import { type Effect, Intent, type IntentEvent, type IntentState } from './intent.js';
import { step } from './machine.js';
import type { Forward, IntentFailure, Plan } from './plan/plan.js';
import { THREAD_SIZE } from './plan/plan-intent.js';

/** The intents of a thread while they are decided on: what happens to one of them may commit or fail all of them. */
export class IntentThread {
  readonly intents: Intent[];

  /** @param moment of the decision, ISO 8601 */
  constructor(
    private readonly session: Session,
    private readonly books: Books,
    private readonly moment: string,
    intents: readonly Intent[],
  ) {
    this.intents = [...intents];
  }

  /** Resolves an intent by its plan. */
  resolve(intent: Intent): void {
    this.#resolve(intent);
    this.#conclude();
  }

  /** Applies what has happened to an intent, and all that follows from it. */
  apply(intent: Intent, event: IntentEvent): void {
    const { effects } = step(intent.state, event);
    const commits = effects.some((effect) => effect.type === 'move' && effect.move === 'post');
    const full = commits ? this.#findFull([intent]) : undefined;
    this.#step(intent, full ? { type: 'full', failure: full } : event);
    this.#conclude();
  }

  #resolve(intent: Intent): void {
    const { outcome, isPermitted } = intent.input.planned!;
    if ('reason' in outcome) {
      this.#step(intent, { type: 'unresolved', failure: outcome });
      return;
    }
    // Permissions come before limits: what is not permitted reads no balance (interface/intents#processing).
    const refusal = isPermitted ? this.#findExceededLimit(intent, outcome) : undefined;
    this.#step(intent, { type: 'resolved', plan: outcome, isPermitted, refusal });
  }

  /** What keeps intents from committing: none has had room for its credits reserved. */
  #findFull(intents: readonly Intent[]): IntentFailure | undefined {
    return findFull(
      this.books,
      intents.map(({ state }) => state.plan!),
    );
  }

  #findExceededLimit(intent: Intent, plan: Plan): IntentFailure | undefined {
    const others = this.intents.filter((one) => one !== intent && one.state.plan && !isBalanceFinal(one.state));
    return findExceededLimit(this.books, plan, {
      day: this.moment.slice(0, 10),
      config: this.session.ledger.config,
      unsettled: others.map(({ state }) => state.plan!),
      uncounted: others.filter(({ day }) => day === undefined).map(({ state }) => state.plan!),
    });
  }

  /** The thread commits as one, in the order in which its intents were made, and fails as one. */
  #conclude(): void {
    if (this.intents.length < 2) return;
    const failure = this.intents.find(({ state }) => state.failure !== undefined)?.state.failure;
    const isPrepared = this.intents.every(({ state }) => state.stage === 'prepared');
    const refusal = failure ?? (isPrepared ? this.#findFull(this.intents) : undefined);
    if (refusal) this.#fail(refusal);
    else if (isPrepared) for (const intent of this.intents) this.#step(intent, { type: 'thread-prepared' });
  }

  #fail(failure: IntentFailure): void {
    for (const intent of this.intents) {
      if (intent.state.failure === undefined) this.#step(intent, { type: 'thread-failed', failure });
    }
  }

  #step(intent: Intent, event: IntentEvent): void {
    const { state, effects } = step(intent.state, event);
    intent.state = state;
    for (const effect of effects) this.#perform(intent, effect);
  }

  #perform(intent: Intent, effect: Effect): void {
    switch (effect.type) {
      case 'version':
        intent.add(effect, this.moment);
        return;
      case 'move':
        this.#move(intent, effect.move);
        return;
      case 'forward':
        this.#forward(intent);
        return;
      case 'call':
      case 'notify':
        intent.calls.push({ call: effect, change: intent.change });
        return;
    }
  }

  #move(intent: Intent, action: Move): void {
    const { books, moment, session } = this;
    const plan = intent.state.plan!;
    const cause = { intent: intent.record.luid, change: intent.change, moment };
    const made = action === 'post' ? setLimits(books, plan, cause, session) : undefined;
    if (action === 'post') intent.settled = intent.versions.at(-2) ?? intent.newest!;
    moveEntries(books, plan, action, cause);
    if (action === 'void' && intent.day !== undefined) countDaily(books, plan, intent.day, -1);
    else if (action !== 'void' && countsDaily(session.ledger.config)) this.#count(intent, plan, made);
  }

  /** Counts an intent against daily limits once: when it reserves, or else when it settles. @param made limits it has set */
  #count(intent: Intent, plan: Plan, made: ReadonlySet<string> | undefined): void {
    const today = this.moment.slice(0, 10);
    // What it was counted against when it reserved is all but what it sets itself.
    if (intent.day === undefined) countDaily(this.books, plan, today, 1);
    else if (made?.size) countDaily(this.books, plan, today, 1, made);
    intent.day ??= today;
  }

  /** Makes the intents that forward credits, and resolves them. */
  #forward(intent: Intent): void {
    for (const forward of intent.forwards) {
      if (this.intents.length >= THREAD_SIZE) {
        this.#fail({
          reason: 'core.thread-size-exceeded',
          detail: `Thread size exceeded the maximum of ${THREAD_SIZE}`,
        });
        return;
      }
      const made = new Intent(this.session, this.#recordOf(forward), { planned: forward });
      this.intents.push(made);
      this.#resolve(made);
    }
  }

  /** The intent that forwards a credit, as the ledger makes it (interface/intents#forwarding). */
  #recordOf({ data, hash, domains }: Forward): RecordEnvelope {
    const { moment } = this;
    const { ledger, runtime } = this.session;
    const { thread } = this.intents[0]!.record.meta;
    const luid = makeLuid('int', Math.floor(runtime.now() / 1000), runtime.random(11));
    const first = ledger.system.sign(hash, { moment, status: 'created' });
    const { digest, method, result, custom } = first;
    return {
      hash,
      data,
      luid,
      meta: {
        proofs: [
          { custom: custom!, digest, method, public: ledger.system.public, result },
          ledger.system.stored(hash, { moment, status: 'pending' }),
          ledger.system.stored(hash, { luid, moment, status: 'pending' }),
        ],
        status: 'pending',
        ...(thread === undefined ? {} : { thread }),
        domains: [...domains],
        moment,
        owners: [ledger.system.public],
      },
    };
  }
}

/** Whether its balances change no more. */
function isBalanceFinal({ stage }: IntentState): boolean {
  return stage === 'committing' || stage === 'completed' || stage === 'aborting' || stage === 'rejected';
}
