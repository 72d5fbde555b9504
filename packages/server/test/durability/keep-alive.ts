import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Clients that keep their connections and follow what they are told of them. */
export interface KeepAlive {
  /** Ends them, and tells how many requests were answered and how each of the others failed. */
  stop(): Promise<{ answered: number; failed: string[] }>;
}

/**
 * Sends one request after the other, each client on a connection that it keeps for as long as the server does.
 *
 * @param path to read
 * @param rest milliseconds between the requests of a client
 */
export function keepAsking(url: string, path: string, clients: number, rest = 0): KeepAlive {
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const failed: string[] = [];
  let answered = 0;
  let done = false;
  const ask = (agent: Agent) =>
    new Promise<void>((resolve) => {
      const sent = request(url + path, { agent }, (answer: IncomingMessage) => {
        answer.resume();
        answer.on('error', (error) => failed.push(error.message));
        answer.on('end', () => {
          if (answer.statusCode === 200) answered += 1;
          else failed.push(String(answer.statusCode));
        });
        answer.on('close', resolve);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        failed.push(error.code ?? error.message);
        resolve();
      });
      sent.end();
    });
  const working = agents.map(async (agent) => {
    while (!done) {
      await ask(agent);
      if (rest > 0) await pause(rest);
    }
  });
  return {
    async stop() {
      done = true;
      await Promise.all(working);
      for (const agent of agents) agent.destroy();
      return { answered, failed };
    },
  };
}
