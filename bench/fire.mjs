import { performance } from 'node:perf_hooks';

/** Of so many answers one is kept, to be checked in full. */
const SAMPLED = 500;

/**
 * Sends requests over open connections, each connection one at a time, and measures.
 *
 * @param connections those to use, none of them busy
 * @param requests sent in this order
 * @param options.status the status every answer must have
 * @param options.seconds begins again with the first request until so many seconds are over; without it each is sent once
 * @param options.once each is sent once all the same: those that are left when the seconds are over are not sent
 * @param options.rate requests per second at most; a late one counts from when it was due
 * @returns how many were answered, in how many seconds, the milliseconds each took (sorted), and the kept answers
 * @throws Error for the first answer with another status, or when a connection fails
 */
export function fire(connections, requests, { status: expected, seconds, rate, once }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const deadline = seconds === undefined ? Number.POSITIVE_INFINITY : started + seconds * 1_000;
    const most = seconds === undefined || once ? requests.length : Number.POSITIVE_INFINITY;
    const latencies = [];
    const samples = [];
    const idle = [...connections];
    let sent = 0;
    let timer;

    const due = (number) => started + (number * 1_000) / rate;
    const stop = (settle, value) => {
      clearInterval(timer);
      settle(value);
    };
    const next = (connection) => {
      const now = performance.now();
      if (sent >= most || now >= deadline || (rate !== undefined && due(sent) > now)) {
        idle.push(connection);
        if (idle.length === connections.length && (sent >= most || now >= deadline)) finish(now);
        return;
      }
      const number = sent;
      sent += 1;
      const from = rate === undefined ? now : due(number);
      const request = requests[number % requests.length];
      connection.send(
        request,
        number % SAMPLED === 0,
        (status, body) => {
          latencies.push(performance.now() - from);
          if (status !== expected) return stop(reject, unexpected(status, request));
          if (body !== undefined) samples.push({ request: request.toString(), body });
          next(connection);
        },
        (error) => stop(reject, error),
      );
    };
    const finish = (now) =>
      stop(resolve, {
        count: latencies.length,
        seconds: (now - started) / 1_000,
        latencies: Float64Array.from(latencies).sort(),
        samples,
      });
    const startIdle = () => {
      for (const connection of idle.splice(0)) next(connection);
    };
    if (rate !== undefined) timer = setInterval(startIdle, 1);
    startIdle();
  });
}

function unexpected(status, request) {
  const [line] = request.toString('latin1', 0, 300).split('\r\n');
  return new Error(`answer ${status} to ${line}`);
}
