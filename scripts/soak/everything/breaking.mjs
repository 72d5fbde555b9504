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

/** In turns. */
const ENDS = ['fast', 'connection killed', 'fast', 'killed'];

/** Breaks parts, one after the other and some at once, until it is told to end. */
export class Breaking {
  counts = {};
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
    const tasks = Object.entries(EVERY).map(([name, { seconds, part }]) =>
      this.#repeat(Math.min(seconds, part * this.#world.seconds), this[name].bind(this)),
    );
    this.#running = Promise.all(tasks);
    this.#running.catch(() => {});
  }

  /** Ends when all that was broken is whole again. */
  async stop() {
    this.#stopped.abort();
    await this.#running;
  }

  async #repeat(seconds, breakOne) {
    for (let turn = 0; ; turn += 1) {
      const isOver = await pause(seconds * 1_000, false, this.#stopped).catch(() => true);
      if (isOver) return;
      await breakOne(turn);
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
    const over = disturbances.begin('worker killed');
    this.#count('worker killed');
    process.kill(killed, 'SIGKILL');
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
    const how = ENDS[turn % ENDS.length];
    const what = how === 'connection killed' ? 'connection of PostgreSQL killed' : `PostgreSQL ended: ${how}`;
    const over = disturbances.begin(what, { database: true });
    this.#count(what);
    server.endDatabase(how);
    await pause(1_000);
    await server.ready().catch((error) => findings.add('the server does not come back', `${what}: ${error.message}`));
    over();
  }

  async receiver(turn) {
    const { tenants, seconds } = this.#world;
    const all = tenants.flatMap(({ effects }) => Object.values(effects));
    const { receiver } = all[turn % all.length];
    const mode = DOWN[turn % DOWN.length];
    this.#count(`receiver ${mode}`);
    await receiver.goDown(mode);
    await this.#while(Math.min(DOWNTIME.receiver, seconds * 0.1));
    await receiver.comeUp();
  }

  async bank(turn) {
    const { tenants, seconds } = this.#world;
    const { bank } = tenants[turn % tenants.length];
    this.#count('bank killed');
    await bank.kill();
    await this.#while(Math.min(DOWNTIME.bank, seconds * 0.1));
    await bank.open();
  }

  #count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  async #while(seconds) {
    await pause(seconds * 1_000, undefined, this.#stopped).catch(() => {});
  }
}
