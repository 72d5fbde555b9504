import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { operatorLimits } from '../../src/operators/operator-limits.js';
import { type OperatorsPort, openOperatorsPort } from '../../src/operators/port.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';

const answer = async (socket: Socket) => {
  socket.end('here');
};

async function open(): Promise<{ port: OperatorsPort; number: number }> {
  const number = await freePort();
  const port = await openOperatorsPort('127.0.0.1', number);
  onTestFinished(() => port.close());
  return { port, number };
}

/** A connection, and what it has read once it is closed. */
function dial(number: number): { readonly socket: Socket; readonly read: Promise<string> } {
  const socket = connect(number, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return {
    socket,
    read: once(socket, 'close').then(
      () => text,
      () => 'reset',
    ),
  };
}

/** Connections wait for as long as the test does. */
function stopPatience(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

it('has connections wait while nobody takes them, and hands them on in their order', async () => {
  const { port, number } = await open();
  const reads: Promise<string>[] = [];
  const dialled: (number | undefined)[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { socket, read } = dial(number);
    await once(socket, 'connect');
    dialled.push(socket.localPort);
    reads.push(read);
  }
  const taken: (number | undefined)[] = [];
  port.handTo((socket) => {
    taken.push(socket.remotePort);
    return answer(socket);
  });
  expect(await Promise.all(reads)).toEqual(['here', 'here', 'here']);
  expect(taken).toEqual(dialled);
});

it('loses the connection that one who ends was given, and no other', async () => {
  const { port, number } = await open();
  const dialled = Array.from({ length: 3 }, () => dial(number));
  await Promise.all(dialled.map(({ socket }) => once(socket, 'connect')));
  let given = 0;
  port.handTo(() => {
    given += 1;
    return Promise.reject(new Error('ended'));
  });
  await eventually(() => expect(given).toBe(1));
  port.handTo(answer);
  const read = await Promise.all(dialled.map((one) => one.read));
  expect(read.filter((text) => text === 'here')).toHaveLength(2);
});

it('bounds how many wait', async () => {
  stopPatience();
  const { port, number } = await open();
  const dialled = Array.from({ length: operatorLimits.connections }, () => dial(number));
  await Promise.all(dialled.map(({ socket }) => once(socket, 'connect')));
  // It is accepted after them.
  expect(await dial(number).read).not.toBe('here');
  port.handTo(answer);
  expect(await Promise.all(dialled.map(({ read }) => read))).toEqual(dialled.map(() => 'here'));
});

it('closes those that wait at its end', async () => {
  stopPatience();
  const { port, number } = await open();
  const waiting = dial(number);
  await once(waiting.socket, 'connect');
  port.close();
  expect(await waiting.read).not.toBe('here');
});
