import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** Types of records (RFC 1035, RFC 3596). */
const TYPES = new Map([
  [1, 4],
  [28, 6],
]);

/** A name server on this machine, by UDP. Names that it does not know are missing. */
export class NameServer {
  readonly names = new Map<string, readonly string[]>();
  /** Names that it answers nothing about; with `/4` or `/6` behind them, of that family. */
  readonly silent = new Set<string>();
  readonly silentFamilies = new Set<string>();
  /** Names that it fails for. */
  readonly failing = new Set<string>();
  /** Names with the family that it was asked for, in order. */
  readonly asked: string[] = [];
  /** Seconds that answers are good. */
  life = 60;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (message, { port, address }) => {
      const answer = this.#answer(message);
      if (answer) socket.send(answer, port, address);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Names that it was asked for, each once for all families and repetitions. */
  questions(): string[] {
    return [...new Set(this.asked.map((one) => one.replace(/\/\d$/, '')))];
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(message: Buffer): Buffer | undefined {
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
