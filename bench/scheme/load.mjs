import { performance } from 'node:perf_hooks';
import { Connection } from '../connection.mjs';
import { Participants } from './participants.mjs';
import { Seconds } from './seconds.mjs';

/**
 * The process that sends the transfers of a scheme at an even rate, each signed when it is due. A transfer counts from when it was
 * due, also where no connection was free. It is told what to do in messages `{ task, ...options }`, and answers each; while
 * it sends, it tells of each second.
 */
const tasks = { found, run };

/** Connections of all banks together. */
const CONNECTIONS = 128;

const participants = new Participants();
const idle = [];

process.on('message', ({ task, ...options }) => {
  tasks[task](options).then(
    (done) => process.send({ done }),
    (error) => process.send({ error: error.stack }),
  );
});

async function found({ port, receiver }) {
  await participants.found(port, receiver);
  while (idle.length < CONNECTIONS) idle.push(await Connection.open(port));
}

/**
 * Sends `rate` transfers a second for so many seconds, then waits for the last answers.
 *
 * @returns what came of all: `{ sent, refused, first, seconds, ...percentiles }`
 */
function run({ rate, seconds }) {
  const started = performance.now();
  const most = Math.round(rate * seconds);
  const took = new Seconds();
  took.begin();
  const counts = { sent: 0, refused: 0, first: undefined };
  let told = { sent: 0, refused: 0 };
  const due = (number) => started + (number * 1_000) / rate;

  return new Promise((resolve, reject) => {
    const tell = () => {
      const { sent, refused } = counts;
      process.send({ second: { sent: sent - told.sent, refused: refused - told.refused, ...took.next() } });
      told = { sent, refused };
    };
    const timers = [setInterval(() => sendDue(), 1), setInterval(tell, 1_000)];
    const stop = () => {
      for (const timer of timers) clearInterval(timer);
    };
    const answered = (connection, from) => (status, body) => {
      took.add(performance.now() - from);
      if (status !== 201) {
        counts.refused += 1;
        counts.first ??= body === undefined ? String(status) : `${status}: ${body.slice(0, 300)}`;
      }
      idle.push(connection);
      if (idle.length === CONNECTIONS && counts.sent === most) {
        stop();
        resolve({ ...counts, seconds: (performance.now() - started) / 1_000, ...took.all() });
      } else sendDue();
    };
    const failed = (error) => {
      stop();
      reject(error);
    };
    const sendDue = () => {
      while (idle.length > 0 && counts.sent < most && due(counts.sent) <= performance.now()) {
        // The one that rested longest: the server closes a connection on which nothing comes.
        const connection = idle.shift();
        const from = due(counts.sent);
        counts.sent += 1;
        connection.send(participants.transfer(), counts.first === undefined, answered(connection, from), failed);
      }
    };
    sendDue();
  });
}
