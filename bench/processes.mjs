import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Milliseconds for a server to say that it listens. */
const PATIENCE = 300_000;

/** A port nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a server as a process of its own and waits until it prints `listening on ...`.
 *
 * @param args of Node: the file, and what comes before and after it
 * @throws Error with what it said when it does not come up
 */
export async function startServer(args, env) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => {
    said = (said + data).slice(-4_000);
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`a server has ended: ${said}`);
  });
  ended.catch(() => {});
  await Promise.race([listening(child), ended]);
  return { child, ended, said: () => said };
}

async function listening(child) {
  const late = AbortSignal.timeout(PATIENCE);
  const lines = createInterface({ input: child.stdout, signal: late });
  for await (const line of lines) if (line.startsWith('listening on ')) break;
  if (late.aborted) throw new Error(`a server did not listen within ${PATIENCE} ms`);
  child.stdout.resume();
}

/** Asks a process to end, and waits until it has. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** A load generator, and a function that gives it a task and waits for what comes of it. It may tell of each `second` meanwhile. */
export function startGenerator(file = fileURLToPath(new URL('./generator.mjs', import.meta.url))) {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const tell = (task, options = {}) =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error('the load generator has ended'));
      const told = (message) => {
        if ('second' in message) return;
        child.off('exit', ended);
        child.off('message', told);
        if (message.error === undefined) resolve(message.done);
        else reject(new Error(message.error));
      };
      child.once('exit', ended);
      child.on('message', told);
      // Without a callback, a child that has ended emits the error, and hides why the run ended.
      child.send({ task, ...options }, (error) => error && reject(error));
    });
  return { child, tell };
}
