import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { watchProcess } from '../cluster/watchdog.js';
import { giveConnection } from './give-connection.js';
import { type FromOperators, OPERATORS_PROCESS, type ToOperators } from './messages.js';
import { operatorLimits } from './operator-limits.js';
import { type OperatorsPort, openOperatorsPort } from './port.js';

export interface OperatorsProcessOptions {
  /** Where operators are listened for. */
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly logger: Pick<FastifyBaseLogger, 'error'>;
  /** The environment of this process, which has the settings. */
  readonly env: NodeJS.ProcessEnv;
}

/** The operators' listener, as the primary sees it. */
export interface OperatorsProcess {
  /** What operators call. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves operators in a process of its own, so that what they ask for neither delays the primary, nor ends it. One that
 * dies or stands still is replaced. The primary listens, and hands on the connections: their port is never free.
 *
 * @throws Error in one line for the operator when the address is unusable
 */
export async function startOperatorsProcess(options: OperatorsProcessOptions): Promise<OperatorsProcess> {
  const port = await openOperatorsPort(options.host, options.port);
  const supervised = new SupervisedProcess(options, port);
  try {
    const url = await supervised.begin();
    return { url, stop: () => supervised.stop() };
  } catch (error) {
    port.close();
    throw error;
  }
}

class SupervisedProcess {
  readonly #options: OperatorsProcessOptions;
  readonly #port: OperatorsPort;
  #current: ChildProcess | undefined;
  #isStopping = false;

  constructor(options: OperatorsProcessOptions, port: OperatorsPort) {
    this.#options = options;
    this.#port = port;
  }

  /** @returns what operators call */
  async begin(): Promise<string> {
    const { databaseUrl, env, logger } = this.#options;
    if (this.#isStopping) throw new Error('The server stops.');
    const child = forkFor(env);
    this.#current = child;
    watchProcess(child, () => logger.error('the process that serves operators stands still: it is killed'));
    const url = await untilServing(child, () => (this.#isStopping ? { type: 'stop' } : { type: 'serve', databaseUrl }));
    const died = (code: number | null, signal: string | null) => {
      this.#port.hold();
      if (this.#isStopping) return;
      logger.error({ code, signal }, 'the process that serves operators has died and is replaced');
      void this.#replace();
    };
    if (hasEnded(child)) died(child.exitCode, child.signalCode);
    else {
      child.once('exit', died);
      if (!this.#isStopping) this.#port.handTo((socket) => giveConnection(child, socket));
    }
    return url;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#port.close();
    if (this.#current !== undefined) await end(this.#current);
  }

  async #replace(): Promise<void> {
    for (;;) {
      await pause(operatorLimits.respite);
      if (this.#isStopping) return;
      try {
        await this.begin();
        return;
      } catch (error) {
        if (!this.#isStopping)
          this.#options.logger.error({ err: error }, 'the process that serves operators did not start');
      }
    }
  }
}

/** In a group of its own, which a terminal's Ctrl-C does not reach. It ends when its channel closes. */
function forkFor(env: NodeJS.ProcessEnv): ChildProcess {
  return fork(process.argv[1] ?? '', [], { env: { ...env, [OPERATORS_PROCESS]: '1' }, detached: true });
}

/**
 * One that stands still before it serves is killed.
 *
 * @returns what operators call
 * @throws Error that says why it does not serve
 */
function untilServing(child: ChildProcess, next: () => ToOperators): Promise<string> {
  const late = setTimeout(() => child.kill('SIGKILL'), operatorLimits.start);
  return new Promise<string>((resolve, reject) => {
    child.on('message', (message: FromOperators) => {
      if (message.type === 'ready') child.send(next());
      else if (message.type === 'serving') resolve(message.url);
      else if (message.type === 'failed') reject(new Error(message.why));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`The process for operators has ended: ${signal ?? code}.`)));
  }).finally(() => clearTimeout(late));
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Asks it to end, and kills it where it does not, as one that stands still. */
async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  // Its channel may have closed, and then it ends by itself.
  child.send({ type: 'stop' } satisfies ToOperators, () => {});
  const late = setTimeout(() => child.kill('SIGKILL'), operatorLimits.stop + operatorLimits.respite);
  await ended;
  clearTimeout(late);
}
