import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServerOptions } from '../../src/app.js';
import { TEST_MASTER_KEY } from '../support/server.js';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  readonly pid: number;
  /** The exit code, when it has ended. */
  readonly ended: Promise<number | null>;
}

type Options = 'deliveries' | 'background' | 'connections' | 'siblings' | 'requestTimeout';

export interface ServerProcessOptions extends Pick<ServerOptions, Options> {
  /** Connection string. */
  readonly database: string;
  /** Milliseconds by which its clock is ahead, until it is sent a message `{ ahead }`, which it sends back. */
  readonly ahead?: number;
  /** In place of numbers in `sequencerLimits` and `siblingLimits`. */
  readonly bounds?: Readonly<Partial<Record<'sequencer' | 'siblings', Readonly<Record<string, number>>>>>;
}

/** Bundled with all of the server (scripts/testing/bundle.mjs). */
const script = fileURLToPath(new URL('../.bundle/process.js', import.meta.url));

/**
 * Starts a server in a process of its own, from a bundle of the built sources, and waits until it serves.
 *
 * @param environment added to ours
 */
export async function startServerProcess(
  options: ServerProcessOptions,
  environment: NodeJS.ProcessEnv = {},
): Promise<ServerProcess> {
  const told = { ...options, masterKey: TEST_MASTER_KEY.toString('base64') };
  const child = spawn(process.execPath, [script, JSON.stringify(told)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const [line] = await Promise.race([
    once(child.stdout!, 'data'),
    ended.then((code) => {
      throw new Error(`exit code ${code}`);
    }),
  ]);
  return { url: String(line).trim(), child, pid: child.pid!, ended };
}
