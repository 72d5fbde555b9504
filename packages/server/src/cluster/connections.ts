import type { Worker } from 'node:cluster';

/** What of a message of `node:cluster` tells a connection that is handed over, and the word that it was taken. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/** Milliseconds in which the primary reads what a worker that has died had said. */
const LAST_WORDS = 500;

interface Handle {
  close(): void;
}

/**
 * Closes the connections that a worker was handed, and has not taken, when it dies. `node:cluster` keeps them open until the
 * worker answers: their clients would wait for ever. Once it is closed, a client knows that it is to try again. Another
 * worker cannot take them over, since the first may have read from them.
 *
 * It listens in on `worker.process`, as Node.js 20 uses it: `newconn` with a `seq`, answered with an `ack` of that. Where a
 * release no longer does so, nothing is closed.
 */
export function closeWithWorker(worker: Worker): void {
  const handed = new Map<number, Handle>();
  const channel = worker.process as unknown as {
    send(message: ClusterMessage, handle?: Handle, ...more: unknown[]): boolean;
    on(event: 'internalMessage', listener: (message: ClusterMessage) => void): void;
  };
  const { send } = channel;
  channel.send = function (message, handle, ...more) {
    if (handle && message.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && message.seq !== undefined)
      handed.set(message.seq, handle);
    return send.call(this, message, handle, ...more);
  };
  channel.on('internalMessage', ({ cmd, ack }) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) handed.delete(ack);
  });
  // Closing the primary's own handle leaves a worker that still serves its own.
  const close = () => {
    for (const handle of handed.values()) handle.close();
    handed.clear();
  };
  worker.once('exit', () => setTimeout(close, LAST_WORDS).unref());
}
