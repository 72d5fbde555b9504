import type { JsonObject } from '@countersign/protocol';
import type { Move } from '@countersign/protocol/trail';
import type { Books } from './accounts/books.js';
import { countDaily, countsDaily, findExceededLimit, findFull } from './accounts/limits.js';
import { move } from './accounts/movements.js';
import { type LimitTools, setLimits } from './accounts/set-limits.js';
import type { Draft } from './draft.js';
import { ACCEPTED, step } from './machine.js';
import type { Member } from './member.js';
import type { Effect, Failure, IntentEvent, IntentState, Plan } from './model.js';
import type { OpenIntent } from './open-intent.js';
import type { Prepared, PreparedForward } from './prepare.js';
import { THREAD_SIZE } from './thread-size.js';

/** What decisions are made with. */
export interface DecisionTools extends LimitTools {
  readonly books: Books;
  /** Of the decision, ISO 8601. */
  readonly moment: string;
  readonly config: JsonObject;
  /** Makes the intent that forwards a credit of another. */
  readonly draftForward: (forward: PreparedForward) => Draft;
}

/** A thread while it is decided on: what happens to one of its intents may commit or fail all of them. */
export class Thread {
  readonly members: Member[] = [];

  constructor(private readonly tools: DecisionTools) {}

  add(draft: Draft, state: IntentState, prepared?: Prepared): Member {
    const parties = prepared && 'parties' in prepared.resolution ? prepared.resolution.parties : [];
    const member: Member = { draft, state, parties, told: [], calls: [], ...(prepared ? { prepared } : {}) };
    this.members.push(member);
    return member;
  }

  /** Adds an intent under way. */
  addOpen(draft: Draft, open: OpenIntent): Member {
    const { row, kept, prepared, forwards } = open;
    const member = this.add(draft, kept.state, prepared);
    const full: Member = { ...member, row, forwards, ...(kept.day === undefined ? {} : { day: kept.day }) };
    this.members[this.members.length - 1] = full;
    return full;
  }

  /** Takes what has happened to a member, and all that follows from it. */
  take(member: Member, event: IntentEvent): void {
    const { effects } = step(member.state, event);
    const commits = effects.some((effect) => effect.type === 'move' && effect.move === 'post');
    const full = commits ? this.#findFull([member]) : undefined;
    this.#step(member, full ? { type: 'full', failure: full } : event);
    this.#conclude();
  }

  /** What keeps members from committing: none has had room for its credits reserved. */
  #findFull(members: readonly Member[]): Failure | undefined {
    return findFull(
      this.tools.books,
      members.map(({ state }) => state.plan!),
    );
  }

  /** Resolves a member, from what was found for it. */
  resolve(member: Member): void {
    this.#resolve(member);
    this.#conclude();
  }

  #resolve(member: Member): void {
    const { resolution, isPermitted, plan } = member.prepared!;
    if (!plan) {
      if ('failure' in resolution) this.#step(member, { type: 'unresolved', failure: resolution.failure });
      return;
    }
    // Permissions come before limits: what is not permitted reads no balance (interface/intents#processing).
    const refusal = isPermitted ? this.#findExceededLimit(member, plan) : undefined;
    this.#step(member, { type: 'resolved', plan, isPermitted, ...(refusal ? { refusal } : {}) });
  }

  #findExceededLimit(member: Member, plan: Plan): Failure | undefined {
    const { books, moment, config } = this.tools;
    const others = this.members.filter((one) => one !== member && one.state.plan && !isOver(one.state));
    return findExceededLimit(books, plan, {
      day: moment.slice(0, 10),
      config,
      unsettled: others.map(({ state }) => state.plan!),
      uncounted: others.filter(({ day }) => day === undefined).map(({ state }) => state.plan!),
    });
  }

  /** The thread commits as one, in the order in which its intents were made, and fails as one. */
  #conclude(): void {
    if (this.members.length < 2) return;
    const failure = this.members.find(({ state }) => state.failure !== undefined)?.state.failure;
    const isPrepared = this.members.every(({ state }) => state.stage === 'prepared');
    const refusal = failure ?? (isPrepared ? this.#findFull(this.members) : undefined);
    if (refusal) this.#fail(refusal);
    else if (isPrepared) for (const member of this.members) this.#step(member, { type: 'thread-prepared' });
  }

  #fail(failure: Failure): void {
    for (const member of this.members) {
      if (member.state.failure === undefined) this.#step(member, { type: 'thread-failed', failure });
    }
  }

  #step(member: Member, event: IntentEvent): void {
    const { state, effects } = step(member.state, event);
    member.state = state;
    for (const effect of effects) this.#apply(member, effect);
  }

  #apply(member: Member, effect: Effect): void {
    const { draft } = member;
    const { moment } = this.tools;
    switch (effect.type) {
      case 'version': {
        const before = member.told.at(-1)?.version ?? draft.newest;
        draft.add(effect.proofs, effect.status, effect.isRouted, moment);
        if (effect.raises) member.told.push({ version: draft.newest!, before });
        return;
      }
      case 'move':
        this.#move(member, effect.move);
        return;
      case 'forward':
        this.#forward(member);
        return;
      case 'call':
      case 'notify':
        member.calls.push({ effect, change: draft.change });
        return;
    }
  }

  #move(member: Member, action: Move): void {
    const { books, moment, config } = this.tools;
    const { draft } = member;
    const plan = member.state.plan!;
    const cause = { intent: draft.record.luid, change: draft.change, moment };
    const made = action === 'post' ? setLimits(books, plan, cause, this.tools) : undefined;
    if (action === 'post') member.settled = draft.versions.at(-2) ?? draft.newest!;
    move(books, plan, action, cause);
    if (action === 'void' && member.day !== undefined) countDaily(books, plan, member.day, -1);
    else if (action !== 'void' && countsDaily(config)) this.#count(member, plan, made);
  }

  /** Counts an intent against daily limits once: when it reserves, or else when it settles. @param made limits it has set */
  #count(member: Member, plan: Plan, made: ReadonlySet<string> | undefined): void {
    const { books, moment } = this.tools;
    const today = moment.slice(0, 10);
    // What it was counted against when it reserved is all but what it sets itself.
    if (member.day === undefined) countDaily(books, plan, today, 1);
    else if (made?.size) countDaily(books, plan, today, 1, made);
    member.day ??= today;
  }

  /** Makes the intents that forward credits, and resolves them. */
  #forward(member: Member): void {
    for (const forward of member.prepared?.forwards ?? member.forwards ?? []) {
      if (this.members.length >= THREAD_SIZE) {
        this.#fail({
          reason: 'core.thread-size-exceeded',
          detail: `Thread size exceeded the maximum of ${THREAD_SIZE}`,
        });
        return;
      }
      const draft = this.tools.draftForward(forward);
      this.#resolve(this.add(draft, ACCEPTED, forward.prepared));
    }
  }
}

/** Whether its balances change no more. */
function isOver({ stage }: IntentState): boolean {
  return stage === 'committing' || stage === 'completed' || stage === 'aborting' || stage === 'rejected';
}
