import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { OperatorsListener } from './listener.js';
import { type FromOperators, OPERATORS_PROCESS, type ToOperators } from './messages.js';
import { operatorLimits } from './operator-limits.js';

export interface OperatorsProcessOptions {
  readonly databaseUrl: string;
  readonly logger: Pick<FastifyBaseLogger, 'error'>;
  /** The environment of this process, which has the settings. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Serves operators in a process of its own, so that what they ask for neither delays the process that supervises, nor ends it. One that
 * dies is replaced.
 *
 * @throws Error in one line for the operator when the address is unusable
 */
export async function startOperatorsProcess(options: OperatorsProcessOptions): Promise<OperatorsListener> {
  const { logger } = options;
  let isStopping = false;
  let current: ChildProcess;

  const begin = async () => {
    if (isStopping) throw new Error('The server stops.');
    current = forkFor(options.env);
    const child = current;
    const { databaseUrl } = options;
    const url = await untilServing(child, () => (isStopping ? { type: 'stop' } : { type: 'serve', databaseUrl }));
    const died = (code: number | null, signal: string | null) => {
      if (isStopping) return;
      logger.error({ code, signal }, 'the process that serves operators has died and is replaced');
      void replace();
    };
    if (hasEnded(child)) died(child.exitCode, child.signalCode);
    else child.once('exit', died);
    return url;
  };

  const replace = async () => {
    for (;;) {
      await pause(operatorLimits.respite);
      if (isStopping) return;
      try {
        await begin();
        return;
      } catch (error) {
        if (!isStopping) logger.error({ err: error }, 'the process that serves operators did not start');
      }
    }
  };

  const url = await begin();
  return {
    url,
    async stop() {
      isStopping = true;
      await end(current);
    },
  };
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
      else reject(new Error(message.why));
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
