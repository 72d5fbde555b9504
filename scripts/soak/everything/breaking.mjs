import { setTimeout as pause } from 'node:timers/promises';
import { DOWN } from './receiver.mjs';

/** Seconds from one to the next, and parts of a run that are shorter for short runs. */
const EVERY = {
  worker: { seconds: 40, part: 0.3 },
  receiver: { seconds: 75, part: 0.35 },
  bank: { seconds: 110, part: 0.4 },
  // The server gives its database up when it ends six times within ten minutes.
  database: { seconds: 240, part: 0.3 },
};

/** Seconds for which a receiver and a bank are down. */
const DOWNTIME = { receiver: 20, bank: 10 };

/** Milliseconds that a process which has died is waited for to be replaced. */
const REPLACED = 60_000;

/**
 * Seconds that a process must have been there to be killed: the server ends when several in a row die as they start, which it takes for a
 * fault that an operator must look at.
 */
const AGE = 30;

/** Times, a second apart, that something is tried to be made whole. */
const TRIES = 60;

/** In turns. */
const ENDS = ['fast', 'connection killed', 'fast', 'killed'];

/** Breaks parts, one after the other and some at once, until it is told to end. */
export class Breaking {
  /** How often each was done, by what it was. */
  counts = {};
  /** How often, by sort. */
  #done = {};
  #began;
  #world;
  #stopped = new AbortController();
  #running;
  /** When each process was seen first that took the place of another one. */
  #seen = new Map();

  /** @param world `{ server, spared, tenants, disturbances, findings, seconds }` */
  constructor(world) {
    this.#world = world;
  }

  start() {
    this.#began = performance.now();
    this.#running = Promise.all(Object.keys(EVERY).map((sort) => this.#repeat(sort)));
  }

  /** Ends when all that was broken is whole again. What was due and never done is a finding. */
  async stop() {
    if (this.#running === undefined || this.#stopped.signal.aborted) return;
    const seconds = (performance.now() - this.#began) / 1_000;
    this.#stopped.abort();
    await this.#running;
    for (const sort of Object.keys(EVERY)) {
      if (this.#every(sort) < seconds && !this.#done[sort])
        this.#world.findings.add('nothing of a sort was broken', `${sort} in ${seconds.toFixed(0)} s`);
    }
  }

  /** Seconds from one of a sort to the next. */
  #every(sort) {
    return Math.min(EVERY[sort].seconds, EVERY[sort].part * this.#world.seconds);
  }

  async #repeat(sort) {
    for (let turn = 0; ; turn += 1) {
      const isOver = await pause(this.#every(sort) * 1_000, false, this.#stopped).catch(() => true);
      if (isOver) return;
      await this.#world.findings.of(`breaking a ${sort}`, () => this[sort](turn));
    }
  }

  /** Kills some worker, but for the one that is spared. */
  async worker() {
    const { server, spared, disturbances, findings } = this.#world;
    const before = server.workers();
    const isGrown = (pid) => performance.now() - (this.#seen.get(pid) ?? Number.NEGATIVE_INFINITY) > AGE * 1_000;
    const others = before.filter((pid) => pid !== spared && isGrown(pid));
    const killed = others[Math.floor(Math.random() * others.length)];
    if (killed === undefined) return;
    const began = Date.now();
    process.kill(killed, 'SIGKILL');
    const over = disturbances.begin('worker killed', { began });
    this.#count('worker', 'worker killed');
    const isReplaced = () => server.workers().length === before.length && !server.workers().includes(killed);
    for (const late = performance.now() + REPLACED; !isReplaced(); await pause(100)) {
      if (performance.now() < late) continue;
      findings.add('a worker was not replaced', `${before} became ${server.workers()}`);
      break;
    }
    for (const pid of server.workers()) if (!before.includes(pid)) this.#seen.set(pid, performance.now());
    over();
  }

  async database(turn) {
    const { server, disturbances, findings } = this.#world;
    const began = Date.now();
    const how = server.endDatabase(ENDS[turn % ENDS.length]);
    if (how === undefined) return;
    const what = how === 'connection killed' ? 'connection of PostgreSQL killed' : `PostgreSQL ended: ${how}`;
    const over = disturbances.begin(what, { database: true, began });
    this.#count('database', what);
    await pause(1_000);
    await server.ready().catch((error) => findings.add('the server does not come back', `${what}: ${error.message}`));
    over();
  }

  async receiver(turn) {
    const { tenants, seconds } = this.#world;
    const all = tenants.flatMap(({ effects }) => Object.values(effects));
    const { receiver } = all[turn % all.length];
    const mode = DOWN[turn % DOWN.length];
    await receiver.goDown(mode);
    this.#count('receiver', `receiver ${mode}`);
    await this.#while(Math.min(DOWNTIME.receiver, seconds * 0.1));
    await mended(() => receiver.comeUp());
  }

  async bank(turn) {
    const { tenants, seconds } = this.#world;
    const { bank } = tenants[turn % tenants.length];
    await bank.kill();
    this.#count('bank', 'bank killed');
    await this.#while(Math.min(DOWNTIME.bank, seconds * 0.1));
    await mended(() => bank.open());
  }

  #count(sort, what) {
    this.#done[sort] = (this.#done[sort] ?? 0) + 1;
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  async #while(seconds) {
    await pause(seconds * 1_000, undefined, this.#stopped).catch(() => {});
  }
}

/** Tries until it succeeds: others may take a port in the meantime. */
async function mended(open) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (tries === TRIES) throw error;
      await pause(1_000);
    }
  }
}
