import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { formatVkey, LOG_BOUNDS } from '@countersign/protocol/log';
import { addCheckpoint, type WitnessDeps } from './witness.js';

/**
 * Bounds of the server: requests that are answered at a time; connections, and those of one address; milliseconds for
 * the head of a request, for its body, for both, and between requests.
 */
const WITNESS_BOUNDS = {
  requests: 64,
  connections: 256,
  each: 128,
  head: 2_000,
  body: 2_000,
  request: 5_000,
  idle: 5_000,
};

interface WitnessOptions extends WitnessDeps {
  /** Takes one line for each request. */
  readonly log: (line: string) => void;
}

/** What is answered. */
interface Reply {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
  readonly about?: string;
  /** Whether the rest of the request is left unread. */
  readonly isLast?: boolean;
}

/** The name of a file of a state: SHA-256 of an origin. */
const LAST_CHECKPOINT_PATH = /^\/([0-9a-f]{64})\/checkpoint$/;

/** A witness over HTTP (C2SP tlog-witness): cosigns what logs send, each checkpoint after those before it. */
export function createWitness(options: WitnessOptions): Server {
  let underWay = 0;
  // What is still being sent takes no place: half a request would keep it.
  const inPlace: InPlace = async (work) => {
    if (underWay >= WITNESS_BOUNDS.requests) return BUSY_REPLY;
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
    }
  };
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (request, response) => {
    const begun = options.now();
    void answerWitness(request, options, inPlace)
      .catch((error: unknown): Reply => {
        if (request.destroyed && !request.complete) return CLIENT_GONE;
        return { ...FAILED, about: error instanceof Error ? error.message : String(error) };
      })
      .then((reply) => {
        sendReply(response, reply);
        const path = (request.url ?? '').split('?')[0]?.slice(0, 200);
        const about = reply.about === undefined ? '' : ` ${reply.about}`;
        const now = options.now();
        options.log(
          `${new Date(now).toISOString()} ${request.method} ${path} ${reply.status} ${now - begun} ms${about}`,
        );
      });
  });
  server.maxConnections = WITNESS_BOUNDS.connections;
  server.headersTimeout = WITNESS_BOUNDS.head;
  server.requestTimeout = WITNESS_BOUNDS.request;
  server.keepAliveTimeout = WITNESS_BOUNDS.idle;
  boundEach(server);
  return server;
}

/** Keeps one address from taking all connections. */
function boundEach(server: Server): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const others = counts.get(remoteAddress) ?? 0;
    if (others >= WITNESS_BOUNDS.each) {
      socket.destroy();
      return;
    }
    counts.set(remoteAddress, others + 1);
    socket.once('close', () => {
      const left = counts.get(remoteAddress)! - 1;
      if (left > 0) counts.set(remoteAddress, left);
      else counts.delete(remoteAddress);
    });
  });
}

/** Answers when there is a place, and that there is none otherwise. */
type InPlace = (work: () => Promise<Reply>) => Promise<Reply>;

const BUSY_REPLY: Reply = { status: 503, text: 'Too many requests are under way.\n', isLast: true };
const BODY_LATE: Reply = {
  status: 408,
  text: `A body is sent within ${WITNESS_BOUNDS.body / 1000} s.\n`,
  isLast: true,
};
const FAILED: Reply = { status: 500, text: 'The witness failed.\n' };
/** The client has gone; nobody reads this. */
const CLIENT_GONE: Reply = { status: 499, text: '' };
const NOT_FOUND: Reply = { status: 404, text: 'There is nothing here.\n', isLast: true };
const TOO_LARGE: Reply = { status: 413, text: `A body has at most ${LOG_BOUNDS.withNote} bytes.\n`, isLast: true };

async function answerWitness(request: IncomingMessage, options: WitnessOptions, inPlace: InPlace): Promise<Reply> {
  const { method = '', url = '' } = request;
  const path = url.split('?')[0] as string;
  if (path === '/add-checkpoint') {
    if (method !== 'POST') return { status: 405, text: 'Send it by POST.\n', isLast: true };
    const body = await withinTime(collectBody(request), WITNESS_BOUNDS.body);
    if (body === 'late') return BODY_LATE;
    return body === undefined ? TOO_LARGE : inPlace(() => addCheckpoint(options, body));
  }
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && path === '/') return { status: 200, text: aboutThis(options) };
  const name = isRead ? LAST_CHECKPOINT_PATH.exec(path)?.[1] : undefined;
  return name === undefined ? NOT_FOUND : inPlace(async () => last(await options.states.byName(name)));
}

function last(note: string | undefined): Reply {
  return note === undefined ? NOT_FOUND : { status: 200, text: note };
}

function aboutThis({ key, logs }: WitnessDeps): string {
  return `A witness of transparency logs (C2SP tlog-witness), which knows ${logs.length} keys of logs.\n\n${formatVkey(key)}\n`;
}

/** @param within milliseconds */
async function withinTime<T>(work: Promise<T>, within: number): Promise<T | 'late'> {
  const over = new AbortController();
  try {
    return await Promise.race([work, setTimeout(within, 'late' as const, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}

/** @returns undefined for a body that is too large */
async function collectBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LOG_BOUNDS.withNote) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sendReply(
  response: ServerResponse,
  { status, text, type = 'text/plain; charset=utf-8', isLast }: Reply,
): void {
  if (response.destroyed) return;
  const { req } = response;
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
    ...(isLast && !req.complete ? { connection: 'close' } : {}),
  });
  response.end(req.method === 'HEAD' ? undefined : text);
}
