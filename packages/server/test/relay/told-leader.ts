import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request that a process was sent as the leader of a ledger. */
export interface Told {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  /** What is said of it beside the body. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly head: any;
  /** Has the real leader answer it. @returns the answer */
  pass(): Promise<{ status: number; head: string; body: string }>;
  /** Says nothing any more, to anybody. */
  fallSilent(): void;
  /** Answers it. */
  answer(status: number, body: string, head?: object): void;
}

/** A process that takes requests at a socket, and does with them as it is told. */
export interface ToldLeader {
  /** Those that it was sent. */
  readonly requests: Told[];
  /** How often it was asked whether it is there. */
  readonly pings: number;
  /** Answers the next request that it was taught, and that one alone. */
  teach(): void;
  stop(): Promise<void>;
}

/** @param real the path at which the real leader listens */
export async function listenAs(path: string, real: string, does: (told: Told) => void): Promise<ToldLeader> {
  const requests: Told[] = [];
  let pings = 0;
  let isTaught = false;
  let isSilent = false;
  const server = createServer({ maxHeaderSize: 65_536 }, async (incoming, response) => {
    if (incoming.method === 'HEAD') {
      pings += 1;
      if (isSilent) return;
      return void response.end();
    }
    const body = await text(incoming);
    const head = String(incoming.headers['countersign-head']);
    const told: Told = {
      ...{ incoming, response, body, head: JSON.parse(head) },
      fallSilent() {
        isSilent = true;
      },
      pass: () => send(real, head, body),
      answer: (status, answer, more = {}) =>
        void response.writeHead(status, { 'countersign-head': JSON.stringify(more) }).end(answer),
    };
    if (isTaught) {
      isTaught = false;
      return told.answer(200, 'taught');
    }
    requests.push(told);
    does(told);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    requests,
    get pings() {
      return pings;
    },
    teach() {
      isTaught = true;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Sends a request to a process as another one does. */
export async function send(socketPath: string, head: string, body: string) {
  const headers = { 'countersign-head': head, 'content-length': Buffer.byteLength(body) };
  const sent = request({ socketPath, method: 'POST', path: '/', headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode = 0, headers: answered } = response;
  return { status: statusCode, head: String(answered['countersign-head']), body: await text(response) };
}
