import { connect } from 'node:net';
import { readJson } from '@countersign/protocol';

/** What came back over a socket. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; the last one of a name that came twice. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any;
}

/** Milliseconds after which an exchange counts as hanging. */
const PATIENCE = 60_000;

/**
 * Sends bytes as they are and reads one answer, final (not 1xx) and to its end.
 *
 * @param parts written one after another; `end` closes our side after the last one
 * @param patience milliseconds after which it counts as hanging
 */
export function exchange(
  url: string,
  parts: readonly (string | Buffer)[],
  end = false,
  patience = PATIENCE,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const settle = (outcome: RawAnswer | Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const timer = setTimeout(() => settle(new Error(`No answer: ${received}`)), patience);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      const answer = read(received);
      if (answer) settle(answer);
    });
    socket.on('close', () => settle(read(received, true) ?? new Error(`Closed after: ${received}`)));
    // What could not be sent any more is told by the close that follows.
    socket.on('error', () => undefined);
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
      if (end) socket.end();
    });
  });
}

/** A request as text: start line, headers, body. The length is declared unless `headers` says how the body comes. */
export function requestText(
  start: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
): Buffer {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const framed = names.includes('content-length') || names.includes('transfer-encoding');
  const bytes = Buffer.from(body);
  const lines = [
    `${start} HTTP/1.1`,
    ...(names.includes('host') ? [] : ['host: ledger.example']),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(framed || bytes.length === 0 ? [] : [`content-length: ${bytes.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

function read(received: Buffer, closed = false): RawAnswer | undefined {
  const split = received.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const [start = '', ...lines] = received.subarray(0, split).toString('latin1').split('\r\n');
  const status = Number(start.split(' ')[1]);
  if (status < 200) return read(received.subarray(split + 4), closed);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? (status === 204 ? 0 : Number.POSITIVE_INFINITY));
  const bytes = received.subarray(split + 4);
  if (bytes.length < length && !closed) return undefined;
  const text = bytes.toString();
  return { status, headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return null;
  }
}
