import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { giveConnection } from '../../src/operators/give-connection.js';

/** A process that does so with its messages, and goes on beating. */
async function startChild(onMessage: string): Promise<ChildProcess> {
  const code = `process.on('message', ${onMessage}); setInterval(() => process.send({ type: 'alive' }), 20);`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

/** The server's end of a connection. */
async function accept(): Promise<Socket> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dialled = connect((server.address() as { port: number }).port, '127.0.0.1').on('error', () => {});
  const [socket] = await once(server, 'connection');
  onTestFinished(() => {
    dialled.destroy();
    socket.destroy();
    server.close();
  });
  return socket;
}

it('resolves once the process has the connection', async () => {
  const child = await startChild("() => process.send({ type: 'taken' })");
  await giveConnection(child, await accept());
  expect(child.exitCode).toBeNull();
});

it('kills a process that beats, but does not say that it has the connection', async () => {
  const child = await startChild('() => {}');
  const ended = once(child, 'exit');
  await expect(giveConnection(child, await accept(), 100)).rejects.toThrow('has ended');
  expect(await ended).toEqual([null, 'SIGKILL']);
});
