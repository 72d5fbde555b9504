import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { FromOperators, ToOperators } from './messages.js';
import { operatorLimits } from './operator-limits.js';

/**
 * Gives a connection to the process for operators, and resolves once it has it. One that does not say so in time is killed, since others
 * wait behind it: it is then replaced.
 *
 * @param most milliseconds
 *
 * @throws Error when the process ends before, or cannot be sent to
 */
export function giveConnection(
  child: ChildProcess,
  socket: Socket,
  most: number = operatorLimits.taken,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) => {
      clearTimeout(late);
      child.off('message', heard);
      child.off('exit', gone);
      if (error) reject(error);
      else resolve();
    };
    const heard = ({ type }: FromOperators) => {
      if (type === 'taken') settle();
    };
    const gone = () => settle(new Error('The process for operators has ended.'));
    const late = setTimeout(() => child.kill('SIGKILL'), most);
    child.on('message', heard);
    child.once('exit', gone);
    child.send({ type: 'connection' } satisfies ToOperators, socket, (error) => error && settle(error));
  });
}
