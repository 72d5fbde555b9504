import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIP, type Server } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

/** Types of records (RFC 1035, RFC 3596). */
const TYPES = new Map([
  [1, 4],
  [28, 6],
]);

/** Bytes of an answer by UDP (RFC 1035, section 4.2.1). A longer one is asked for by TCP. */
const LONGEST = 512;

/** The flag of an answer that is cut off. */
const TRUNCATED = 0x02;

/** A name server on this machine. Names that it does not know are missing. */
export class NameServer {
  readonly names = new Map<string, readonly string[]>();
  /** Names that it answers nothing about; with `/4` or `/6` behind them, of that family. */
  readonly silent = new Set<string>();
  readonly silentFamilies = new Set<string>();
  /** Milliseconds after which it answers about a name, with `/4` or `/6` behind it. */
  readonly delays = new Map<string, number>();
  /** Names that it fails for. */
  readonly failing = new Set<string>();
  /** Names with the family that it was asked for, in order. */
  readonly asked: string[] = [];
  /** Seconds that answers are good. */
  life = 60;
  readonly #socket: Socket;
  readonly #listener: Server;
  #isStopped = false;

  private constructor(socket: Socket, listener: Server) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on('message', async (message, { port, address }) => {
      const answer = await this.#answer(message);
      if (answer && !this.#isStopped) socket.send(answer.length > LONGEST ? cutOff(answer) : answer, port, address);
    });
    listener.on('connection', (connection) => {
      let received = Buffer.alloc(0);
      connection
        .on('error', () => {})
        .on('data', async (bytes) => {
          received = Buffer.concat([received, bytes]);
          while (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) {
            const message = received.subarray(2, 2 + received.readUInt16BE());
            received = received.subarray(2 + message.length);
            const answer = await this.#answer(message);
            if (answer) connection.write(Buffer.concat([lengthOf(answer), answer]));
          }
        });
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const listener = createServer().listen(socket.address().port, '127.0.0.1');
    try {
      await once(listener, 'listening');
      return new NameServer(socket, listener);
    } catch {
      // The port is taken for TCP.
      socket.close();
      return NameServer.start();
    }
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Names that it was asked for, each once for all families and repetitions. */
  questions(): string[] {
    return [...new Set(this.asked.map((one) => one.replace(/\/\d$/, '')))];
  }

  stop(): void {
    this.#isStopped = true;
    this.#socket.close();
    this.#listener.close();
  }

  async #answer(message: Buffer): Promise<Buffer | undefined> {
    const labels: string[] = [];
    let at = 12;
    for (let length = message[at]!; length > 0; length = message[at]!) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const family = TYPES.get(message.readUInt16BE(at + 1)) ?? 0;
    const question = message.subarray(12, at + 5);
    this.asked.push(`${name}/${family}`);
    if (this.silent.has(name) || this.silentFamilies.has(`${name}/${family}`)) return undefined;
    const delay = this.delays.get(`${name}/${family}`);
    if (delay !== undefined) await after(delay, undefined, { ref: false });
    const known = this.names.get(name);
    const code = this.failing.has(name) ? 2 : known ? 0 : 3;
    const addresses = (known ?? []).filter((address) => isIP(address) === family);
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    return Buffer.concat([head, question, ...addresses.map((address) => this.#record(address))]);
  }

  #record(address: string): Buffer {
    const bytes = bytesOf(address);
    const head = Buffer.alloc(12);
    // The name is that of the question.
    head.writeUInt16BE(0xc00c, 0);
    head.writeUInt16BE(bytes.length === 4 ? 1 : 28, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt32BE(this.life, 6);
    head.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([head, bytes]);
  }
}

/** The question alone, with the flag that says so. */
function cutOff(answer: Buffer): Buffer {
  const cut = Buffer.from(answer.subarray(0, answer.indexOf(0, 12) + 5));
  cut[2]! |= TRUNCATED;
  cut.writeUInt16BE(0, 6);
  return cut;
}

function lengthOf(answer: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(answer.length);
  return length;
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [start = '', end = ''] = address.split('::').map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => group.padStart(4, '0'))
      .join(''),
  );
  return Buffer.from(start + '0'.repeat(32 - start.length - end.length) + end, 'hex');
}
