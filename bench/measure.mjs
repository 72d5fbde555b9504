import { shapes } from './shapes.mjs';
import { median } from './table.mjs';

/** Requests prepared for a shape that may be sent again and again. */
const REPEATED = 5_000;

/**
 * Wallets there are before anything is measured, and requests of every other shape that warm the servers up. What is
 * told against another shape is sent as often as that one was: its code would else be compared before it is optimised.
 */
const SEED = 8_000;
const WARM = 1_500;

/**
 * Measures shapes: each round takes every shape in turn, first on its ceiling, then on the ledger, with the same
 * requests, so that whatever else the machine does falls on both.
 */
export class Measure {
  #tell;
  #ports;
  #options;
  #usage;
  /** Answers per second of the ledger, by shape: as last seen. Says how many requests to prepare. */
  #rates = {};

  /**
   * @param tell gives the load generator a task
   * @param ports `{ ledger, write, read, token }` of the ledger and of the ceilings
   * @param options `{ seconds, rounds, connections, only }`
   * @param usage tells what `ledger` or a ceiling has used so far
   */
  constructor(tell, ports, options, usage) {
    this.#tell = tell;
    this.#ports = ports;
    this.#options = options;
    this.#usage = usage;
  }

  /** Fills the ledger so far that every shape has something to work on, and warms all servers up. */
  async warmUp() {
    this.#rates.create = await this.create(SEED);
    for (const shape of this.#options.only) {
      await this.#tell('prepare', { shape, count: shapes[shape].against ? SEED : WARM });
      if (shapes[shape].ceiling) await this.#ceiling(shape, 0.5);
      const rate = shapes[shape].like ? this.#rates[shapes[shape].like] / 2 : undefined;
      const { count, seconds } = await this.#ledger(shape, { rate });
      this.#rates[shape] = count / seconds;
    }
  }

  /** Creates `count` wallets. @returns how many per second */
  async create(count) {
    await this.#tell('prepare', { shape: 'create', count });
    const { seconds } = await this.#ledger('create');
    return count / seconds;
  }

  /** @returns one row of figures for each shape: the medians of the rounds */
  async all() {
    const rounds = [];
    for (let round = 0; round < this.#options.rounds; round += 1) {
      const figures = {};
      for (const shape of this.#options.only) figures[shape] = await this.#one(shape);
      for (const shape of this.#options.only) figures[shape].cost = costOf(shape, figures);
      rounds.push(figures);
    }
    return this.#options.only.map((shape) => ({ shape, ...medians(rounds.map((figures) => figures[shape])) }));
  }

  async #one(shape) {
    const { ceiling, like, repeated } = shapes[shape];
    const { seconds } = this.#options;
    const rate = like && this.#rates[like] / 2;
    const count = repeated ? REPEATED : Math.ceil((rate ?? this.#rates[shape]) * seconds);
    await this.#tell('prepare', { shape, count });
    const bare = ceiling && (await this.#ceiling(shape, seconds));
    const found = await this.#ledger(shape, { ...(repeated ? { seconds } : {}), rate });
    const perSecond = found.count / found.seconds;
    this.#rates[shape] = perSecond;
    return {
      perSecond,
      p50: found.p50,
      p99: found.p99,
      ceiling: bare && bare.count / bare.seconds,
      ratio: bare && perSecond / (bare.count / bare.seconds),
      work: bare && (found.server + found.database) / bare.server,
      cpu: found.server,
      cpuDatabase: found.database,
      cpuCeiling: bare?.server,
      memory: found.memory,
    };
  }

  #ledger(shape, options = {}) {
    return this.#run('ledger', shape, { checked: true, ...options });
  }

  /** @returns what the generator measured, and the microseconds of processor time each request took */
  async #run(target, shape, options) {
    const before = this.#usage(target);
    const { connections } = this.#options;
    const found = await this.#tell('run', { shape, port: this.#ports[target], connections, ...options });
    const after = this.#usage(target);
    if (before === undefined || after === undefined) return found;
    const each = (name) => ((after[name] - before[name]) * 1_000) / found.count;
    return { ...found, server: each('server'), database: each('database'), memory: after.memory };
  }

  async #ceiling(shape, seconds) {
    const { ceiling } = shapes[shape];
    if (ceiling !== 'write') {
      const body = await this.#tell('answer', { port: this.#ports.ledger });
      await fetch(`http://127.0.0.1:${this.#ports[ceiling]}/body`, { method: 'PUT', body });
    }
    return this.#run(ceiling, shape, { seconds });
  }
}

/** How many times what another shape costs, where both were measured: taken in one round, like the ratio. */
function costOf(shape, figures) {
  const other = figures[shapes[shape].against];
  return other && other.perSecond / figures[shape].perSecond;
}

/** The median of each figure; the ratio's is that of the rounds' ratios, each made of two neighbours in time. */
function medians(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(
    names.map((name) => [
      name,
      median(rounds.map((figures) => figures[name]).filter((figure) => figure !== undefined)),
    ]),
  );
}
