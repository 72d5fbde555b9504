import { type ChildProcess, fork } from 'node:child_process';
import type { ServerOptions } from 'node:https';
import { fileURLToPath } from 'node:url';

/** A stranger's machine: a process of the lowest priority, so that it takes no processor from the service. */
export interface Elsewhere {
  /** Hosts of TLS with these options: their ports. */
  host(count: number, options: ServerOptions): Promise<number[]>;
  /**
   * Asks for a page again and again, over so many connections, for so many milliseconds, longer where a busy machine answers few: how many
   * were answered.
   */
  ask(url: string, at: number, milliseconds: number): Promise<number>;
  /** Handshakes that have ended at the hosts. */
  handshakes(): number;
  end(): void;
}

export function startElsewhere(): Elsewhere {
  const child: ChildProcess = fork(fileURLToPath(new URL('./elsewhere.cjs', import.meta.url)), {
    execArgv: [],
    detached: true,
  });
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let handshakes = 0;
  let last = 0;
  type Told = { number: number; result: never; error?: string; handshake?: true };
  child.on('message', ({ number, result, error, handshake }: Told) => {
    if (handshake) handshakes += 1;
    else if (error) waiting.get(number)?.reject(new Error(error));
    else waiting.get(number)?.resolve(result);
  });
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The stranger has ended.'));
  });
  const run = <T>(task: string, of: object) => {
    last += 1;
    const number = last;
    child.send({ number, task, ...of });
    return new Promise<T>((resolve, reject) =>
      waiting.set(number, { resolve: resolve as (result: never) => void, reject }),
    );
  };
  return {
    host: (count, options) => run('host', { count, options }),
    ask: (url, at, milliseconds) => run('ask', { url, at, milliseconds, least: 2 * at }),
    handshakes: () => handshakes,
    end: () => void child.kill('SIGKILL'),
  };
}
