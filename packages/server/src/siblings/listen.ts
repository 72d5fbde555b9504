import { createServer, type Server, type Socket } from 'node:net';
import { FrameWriter } from './frame-writer.js';
import { type Frame, FrameReader } from './frames.js';

/**
 * Answers a question of a sibling.
 *
 * @param isGone whether nobody waits for the answer any more
 * @throws Garbled for what is no question: the connection is closed then, and nothing else happens
 */
export type Answer = (question: string, isGone: () => boolean) => Promise<string>;

/** What answers the questions of siblings. */
export interface Listener {
  /** Answers what it was asked, and then closes the connections. */
  stop(): Promise<void>;
}

/**
 * Listens to siblings at a path.
 *
 * @param broken told why a connection was closed
 * @throws the error of the system when it cannot listen there
 */
export async function listenToSiblings(
  path: string,
  answer: Answer,
  broken: (error: unknown) => void,
): Promise<Listener> {
  const open = new Set<Socket>();
  const underWay = new Set<Promise<void>>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    answerAll(socket, answer, broken, underWay);
  });
  await listen(server, path);
  server.on('error', broken);
  // A process that has nothing else to do ends.
  server.unref();
  return {
    async stop() {
      server.close();
      while (underWay.size > 0) await Promise.all(underWay);
      await Promise.all([...open].map(end));
    },
  };
}

function answerAll(
  socket: Socket,
  answer: Answer,
  broken: (error: unknown) => void,
  underWay: Set<Promise<void>>,
): void {
  const reader = new FrameReader();
  const writer = new FrameWriter(socket);
  const isGone = () => socket.destroyed;
  const close = (error: unknown) => {
    if (!socket.destroyed) broken(error);
    socket.destroy();
  };
  const answerOne = async ({ number, text }: Frame) => {
    const answered = await answer(text, isGone);
    if (!socket.destroyed) writer.write({ number, text: answered });
  };
  socket.on('data', (chunk) => {
    try {
      for (const frame of reader.take(chunk)) {
        const answering: Promise<void> = answerOne(frame)
          .catch(close)
          .finally(() => underWay.delete(answering));
        underWay.add(answering);
      }
    } catch (error) {
      close(error);
    }
  });
  // A sibling that has died is no news here.
  socket.on('error', () => socket.destroy());
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Closes a connection once what was written to it is sent. */
function end(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    socket.once('close', () => resolve());
    socket.destroySoon();
  });
}
