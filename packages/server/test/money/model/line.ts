import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { RequestReader } from '../../relay/request-reader.js';

/** What becomes of a request on its way to the leader. */
type Fault = (line: Line, request: Buffer, from: Socket, leader: Socket) => void;

/** What a line may do with a request that is sent to the leader; all but the last end the connection to whoever sent it. */
export const LINE_FAULTS = {
  'request lost': (_line, _request, from) => void from.destroy(),
  'answer lost': (_line, request, from, leader) => {
    leader.removeAllListeners('data').once('data', () => from.destroy());
    leader.write(request);
  },
  'decided twice': (line, request, from) => {
    from.destroy();
    void line.deliver(request);
  },
  'request late': (line, request, from) => {
    from.destroy();
    line.late.push(request);
  },
  'no answer': (line, request, _from, leader) => line.fallSilent(() => leader.write(request)),
} satisfies Record<string, Fault>;

export type LineFault = keyof typeof LINE_FAULTS;

/** The only way from one process to the socket at which its sibling listens. */
export class Line {
  /** Requests that are delivered when the one who sent them has long given up. */
  readonly late: Buffer[] = [];
  readonly #open = new Set<Socket>();
  readonly #server: Server;
  #fault: Fault | undefined;
  #left = 0;
  #spoilt = 0;
  #isSilent = false;
  /** Takes to the leader what has come meanwhile. */
  readonly #held: (() => void)[] = [];

  private constructor(readonly leader: string) {
    this.#server = createServer((from) => this.#connect(from));
  }

  /** @param path at which it takes calls. @param leader at which the sibling listens */
  static async lay(path: string, leader: string): Promise<Line> {
    const line = new Line(leader);
    line.#server.listen(path);
    await once(line.#server, 'listening');
    return line;
  }

  /** Has the next requests meet a fault. */
  spoil(fault: LineFault, requests: number): void {
    this.#fault = LINE_FAULTS[fault];
    this.#left = requests;
  }

  /** Takes nothing to the leader until it is mended, not even the question whether it is there. @param pass takes it then */
  fallSilent(pass: () => void): void {
    this.#isSilent = true;
    this.#held.push(pass);
  }

  /** Nothing meets a fault any more; what was late arrives. @returns how many requests have met one */
  async mend(): Promise<number> {
    this.#left = 0;
    this.#isSilent = false;
    for (const pass of this.#held.splice(0)) pass();
    await Promise.all(this.late.splice(0).map((request) => this.deliver(request)));
    const spoilt = this.#spoilt;
    this.#spoilt = 0;
    return spoilt;
  }

  /** Takes a request to the leader, whose answer nobody hears. */
  async deliver(request: Buffer): Promise<void> {
    const socket = connect(this.leader);
    // A leader that was killed is no news here.
    socket.on('error', () => {});
    socket.once('data', () => socket.destroy());
    const closed = once(socket, 'close');
    socket.write(request);
    await closed;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #connect(from: Socket): void {
    const leader = connect(this.leader);
    for (const [socket, other] of [
      [from, leader],
      [leader, from],
    ] as const) {
      this.#open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
    leader.on('data', (chunk) => from.write(chunk));
    const reader = new RequestReader();
    from.on('data', (chunk) => {
      for (const one of reader.take(chunk)) this.#pass(one, from, leader);
    });
  }

  #pass(request: Buffer, from: Socket, leader: Socket): void {
    if (this.#isSilent) return void this.#held.push(() => leader.write(request));
    if (this.#left <= 0 || !request.subarray(0, 4).equals(POST)) return void leader.write(request);
    this.#left -= 1;
    this.#spoilt += 1;
    this.#fault?.(this, request, from, leader);
  }
}

const POST = Buffer.from('POST');
