import type { Socket } from 'node:net';

const last = new WeakSet<Socket>();

/** Notes that an answer which closes the connection has begun: another one cannot be sent on it. */
export function noteLastAnswer(socket: Socket): void {
  last.add(socket);
}

export function hasLastAnswer(socket: Socket): boolean {
  return last.has(socket);
}
