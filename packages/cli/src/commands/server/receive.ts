import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  EVENT_BOUNDS,
  EventError,
  type JsonObject,
  parseSystemKey,
  verifyEvent,
  verifyWebhook,
  WebhookError,
} from '@countersign/protocol';
import { findTarget, makeClient, requireLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { printable, printableJson } from '../../terminal/printable.js';
import { listening, portOf } from './port.js';

const RECEIVER_PORT = '4070';

/** Connections, each of which may hold a body; milliseconds for a whole request; lines of an event that are shown. */
const RECEIVER_BOUNDS = { connections: 16, request: 10_000, lines: 60, width: 500 };

export const receive: CliCommand = {
  path: ['receive'],
  summary: 'Receive the events of effects on this machine, and show them',
  about:
    'For trying effects out. Both signatures of each delivery are verified; one that does not verify is answered 400. Listens on the ' +
    'loopback address only: the server must run on this machine, with DELIVERY_ALLOW_PRIVATE=true.',
  connects: true,
  options: [
    { flags: '--port <port>', about: 'port to listen at', default: RECEIVER_PORT },
    {
      flags: '--status <status>',
      about: 'answer to what verifies: 501 gives a delivery up, 500 has it tried again',
      default: '200',
    },
    {
      flags: '--key <public>',
      about: "the ledger's public key, base64; else the one that was noted, or that the server shows",
    },
  ],
  examples: [
    { call: 'countersign receive', about: 'then, in another terminal:' },
    {
      call: `countersign effect create tell --signal wallet-created --action '{"endpoint": "http://127.0.0.1:${RECEIVER_PORT}/"}'`,
      about: 'sends each new wallet there',
    },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const port = portOf(await invocation.need('port'), RECEIVER_PORT);
    const status = parseStatus(await invocation.need('status'));
    const key = await findSystemKey(invocation);
    const take = (request: IncomingMessage, body: string) => {
      const { id } = verifyWebhook(request.headers, body, key, { now: surroundings.now() });
      const { handle, signal, moment, data } = verifyEvent(body, key);
      if (id !== handle) throw new EventError('malformed', 'The headers are those of another event');
      output.line({ event: handle, signal, moment, answered: status, data }, () =>
        formatDelivery(moment, signal, status, data),
      );
    };
    const refuse = (answered: number, why: string) => {
      const at = new Date(surroundings.now()).toISOString();
      output.line({ refused: why, answered }, () => printable(`${at}  refused with ${answered}: ${why}`));
    };
    const running = createReceiver(status, take, refuse);
    await listening(running, port, '127.0.0.1');
    const { port: at } = running.address() as AddressInfo;
    output.note(`Receiving at http://127.0.0.1:${at}/ what ${key} has signed. Ctrl-C ends it.`);
    await surroundings.stopped();
    running.closeAllConnections();
    await new Promise((resolve) => running.close(resolve));
  },
};

/**
 * A webhook that shows what it gets.
 *
 * @param take throws for what does not verify
 * @param refuse is told what was refused, with which status
 */
function createReceiver(
  status: number,
  take: (request: IncomingMessage, body: string) => void,
  refuse: (status: number, why: string) => void,
): Server {
  const { connections, request: patience } = RECEIVER_BOUNDS;
  const bounds = { requestTimeout: patience, headersTimeout: patience, connectionsCheckingInterval: patience / 4 };
  const answer = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== 'POST') return refused(405, `it came by ${request.method}`);
    const body = await readEventBody(request);
    if (body === undefined) return refused(413, `it has over ${EVENT_BOUNDS.size} bytes`);
    try {
      take(request, body);
      return status;
    } catch (error) {
      if (error instanceof EventError || error instanceof WebhookError) return refused(400, error.message);
      throw error;
    }
  };
  const refused = (code: number, why: string) => {
    refuse(code, why);
    return code;
  };
  const server = createServer(bounds, (request, response) => {
    answer(request).then(
      (code) => respond(request, response, code),
      // The connection broke, or took too long.
      () => response.destroy(),
    );
  });
  server.maxConnections = connections;
  return server;
}

function respond(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.writeHead(status, request.complete ? {} : { connection: 'close' }).end();
}

/** @returns undefined for more than any event has */
async function readEventBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > EVENT_BOUNDS.size) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A delivery for people: what it is in a line, and its data below. */
function formatDelivery(moment: string, signal: string, status: number, data: JsonObject): string {
  const lines = printableJson(data, 2).split('\n');
  const { lines: most, width } = RECEIVER_BOUNDS;
  const rest = lines.length > most ? [`… ${lines.length - most} lines more: --json has them`] : [];
  const head = printable(`${moment}  ${signal}  ${data.handle}  both signatures verify, answered ${status}`);
  const cut = (line: string) => (line.length > width ? `${line.slice(0, width)}…` : line);
  return [head, ...lines.slice(0, most).map(cut), ...rest].join('\n');
}

function parseStatus(text: string): number {
  const status = Number(text);
  if (/^\d{3}$/.test(text) && status >= 200 && status < 600) return status;
  throw usage(`'${text}' is not a status.`, 'give a number from 200 to 599, such as 503');
}

/** The key that deliveries must be signed by: as given, as noted of the selected ledger, else as the server shows it. */
async function findSystemKey(invocation: Invocation): Promise<string> {
  const given = invocation.get('key');
  if (given !== undefined) {
    try {
      parseSystemKey(given);
    } catch {
      throw usage(`--key is not the public key of a ledger: ${given.slice(0, 60)}`, 'it is 32 bytes in base64');
    }
    return given;
  }
  const target = await findTarget(invocation);
  const ledger = requireLedger(target);
  if (target.system !== undefined) return target.system;
  const system = await (await makeClient(target, undefined, ledger)).signers.get('system');
  return String(system.data.public);
}
