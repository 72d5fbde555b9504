import { type ChildProcess, fork } from 'node:child_process';
import type { ServerOptions } from 'node:https';
import { fileURLToPath } from 'node:url';

/** A stranger's machine: a process of the lowest priority, so that it takes no processor from the service. */
export interface Elsewhere {
  /** Hosts of TLS with these options: their ports. */
  host(count: number, options: ServerOptions): Promise<number[]>;
  /** Asks for a page again and again, over so many connections, for so many milliseconds: how many were answered. */
  ask(url: string, at: number, milliseconds: number): Promise<number>;
  /** Handshakes that have ended at the hosts. */
  handshakes(): number;
  end(): void;
}

export function startElsewhere(): Elsewhere {
  const child: ChildProcess = fork(fileURLToPath(new URL('./elsewhere.cjs', import.meta.url)), { execArgv: [] });
  const waiting = new Map<number, (result: never) => void>();
  let handshakes = 0;
  let last = 0;
  child.on('message', ({ number, result, handshake }: { number: number; result: never; handshake?: true }) => {
    if (handshake) handshakes += 1;
    else waiting.get(number)?.(result);
  });
  const run = <T>(task: string, of: object) => {
    last += 1;
    const number = last;
    child.send({ number, task, ...of });
    return new Promise<T>((resolve) => waiting.set(number, resolve as (result: never) => void));
  };
  return {
    host: (count, options) => run('host', { count, options }),
    ask: (url, at, milliseconds) => run('ask', { url, at, milliseconds }),
    handshakes: () => handshakes,
    end: () => void child.kill('SIGKILL'),
  };
}
