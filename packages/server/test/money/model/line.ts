import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { FrameReader, formatFrame } from '../../../src/siblings/frames.js';

/** What becomes of a question on its way to the home. */
type Fault = (line: Line, frame: Buffer, from: Socket, home: Socket) => void;

/** What a line may do with an intent that is handed over; all but the last end the connection to whoever hands it over. */
export const LINE_FAULTS = {
  'question lost': (_line, _frame, from) => void from.destroy(),
  'answer lost': (_line, frame, from, home) => {
    home.removeAllListeners('data').once('data', () => from.destroy());
    home.write(frame);
  },
  'decided twice': (line, frame, from) => {
    from.destroy();
    void line.deliver(frame);
  },
  'question late': (line, frame, from) => {
    from.destroy();
    line.late.push(frame);
  },
  'no answer': () => {},
} satisfies Record<string, Fault>;

export type LineFault = keyof typeof LINE_FAULTS;

/** The only way from one process to the socket at which its sibling listens. */
export class Line {
  /** Questions that are delivered when the one who asked has long given up. */
  readonly late: Buffer[] = [];
  readonly #open = new Set<Socket>();
  readonly #server: Server;
  #fault: Fault | undefined;
  #left = 0;
  #spoilt = 0;

  private constructor(readonly home: string) {
    this.#server = createServer((from) => this.#connect(from));
  }

  /** @param path at which it takes calls. @param home at which the sibling listens */
  static async lay(path: string, home: string): Promise<Line> {
    const line = new Line(home);
    line.#server.listen(path);
    await once(line.#server, 'listening');
    return line;
  }

  /** Has the next questions meet a fault. */
  spoil(fault: LineFault, questions: number): void {
    this.#fault = LINE_FAULTS[fault];
    this.#left = questions;
  }

  /** Nothing meets a fault any more; what was late arrives. @returns how many questions have met one */
  async mend(): Promise<number> {
    this.#left = 0;
    await Promise.all(this.late.splice(0).map((frame) => this.deliver(frame)));
    const spoilt = this.#spoilt;
    this.#spoilt = 0;
    return spoilt;
  }

  /** Takes a question to the home, whose answer nobody hears. */
  async deliver(frame: Buffer): Promise<void> {
    const socket = connect(this.home);
    // A home that was killed is no news here.
    socket.on('error', () => {});
    socket.once('data', () => socket.destroy());
    const closed = once(socket, 'close');
    socket.write(frame);
    await closed;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #connect(from: Socket): void {
    const home = connect(this.home);
    for (const [socket, other] of [
      [from, home],
      [home, from],
    ] as const) {
      this.#open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
    home.on('data', (chunk) => from.write(chunk));
    const reader = new FrameReader();
    from.on('data', (chunk) => {
      for (const one of reader.take(chunk)) this.#pass(formatFrame(one), from, home);
    });
  }

  #pass(frame: Buffer, from: Socket, home: Socket): void {
    if (this.#left <= 0) return void home.write(frame);
    this.#left -= 1;
    this.#spoilt += 1;
    this.#fault?.(this, frame, from, home);
  }
}
