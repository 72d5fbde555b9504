import type { Worker } from 'node:cluster';

/** What of a message of `node:cluster` tells a connection that is handed over, and the word whether it was taken. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
  readonly accepted?: boolean;
}

/** Milliseconds between two looks at whether everything that a dead worker has sent was read. */
const READ_LOOK = 10;

/**
 * Hands the connections that a worker was given, and has not taken, to others when it dies. `node:cluster` keeps them open
 * until the worker answers: their clients would wait for ever. Where no other worker serves they are closed, so that
 * their clients try again.
 *
 * A worker says that it takes a connection before it reads from it. So a connection that it has not taken is untouched, and is
 * answered as one is that a worker refuses while it shuts down.
 *
 * It listens in on `worker.process`, as Node.js 20 to 26 use it: `newconn` with a `seq`, answered with an `ack` of that.
 *
 * @param othersServe whether there is another worker that serves
 */
export function passOnWithWorker(worker: Worker, othersServe: () => boolean): void {
  const handed = new Set<number>();
  const channel = worker.process as unknown as WorkerChannel;
  const { send } = channel;
  channel.send = function (message, ...more) {
    if (message.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && message.seq !== undefined)
      handed.add(message.seq);
    return send.call(this, message, ...more);
  };
  channel.on('internalMessage', ({ cmd, ack }) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) handed.delete(ack);
  });
  let isRemoved = false;
  channel.once('disconnect', () => {
    isRemoved = true;
  });
  const passOn = () => {
    // The end of the channel comes after all that was said.
    if (channel.connected) return void setTimeout(passOn, READ_LOOK).unref();
    // Node.js keeps this to itself while a connection is on its way, and would give the dead worker another one.
    if (!isRemoved) channel.emit('disconnect');
    for (const ack of [...handed]) {
      channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: !othersServe() });
    }
  };
  worker.once('exit', passOn);
}

/** The part of a worker's process that `node:cluster` speaks to it by. */
interface WorkerChannel {
  readonly connected: boolean;
  send(message: ClusterMessage, ...more: unknown[]): boolean;
  on(event: 'internalMessage', listener: (message: ClusterMessage) => void): void;
  once(event: 'disconnect', listener: () => void): void;
  emit(event: 'disconnect'): void;
  emit(event: 'internalMessage', message: ClusterMessage): void;
}
