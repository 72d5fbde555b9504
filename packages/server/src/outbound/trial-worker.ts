// First: what is loaded later may keep the function that reads JSON.
import '@countersign/protocol/replace-json-parse';

import { connect as connectSocket, type Socket } from 'node:net';
import { connect, type SecureContext } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import { HandshakeStream } from './handshake-stream.js';
import { createHandshakes, HandshakesResting } from './handshakes.js';
import { handshakeLimits, trialLimits } from './outbound-limits.js';
import { makeSecureContext } from './tls.js';
import type { TrialAnswer, TrialMessage, TrialSettings, TriedHost } from './trial-messages.js';

// The program of the thread that `trials.ts` starts.
const port = parentPort!;
const { ca, timeout } = workerData as TrialSettings;
const secureContext = makeSecureContext({ ca });
const handshakes = createHandshakes();

port.on('message', async ({ number, ...tried }: TrialMessage) => {
  port.postMessage({ number, ...(await tryHost(tried)) });
});

/** The quickest of a few handshakes counts: the first one of a thread has code to load. */
async function tryHost(tried: TriedHost): Promise<Omit<TrialAnswer, 'number'>> {
  let spent = Number.POSITIVE_INFINITY;
  for (let made = 0; made < trialLimits.attempts && spent > handshakeLimits.quick; made += 1) {
    try {
      handshakes.assertMayBegin(tried.ledger, tried.host);
      const attempt = await makeHandshake(tried, secureContext);
      if (attempt.failed && !Number.isFinite(spent)) return attempt;
      spent = Math.min(spent, attempt.spent);
    } catch (error) {
      // What is known by then counts.
      if (!(error instanceof HandshakesResting) || Number.isFinite(spent)) break;
      return { spent: 0, resting: error.milliseconds };
    }
  }
  return { spent };
}

/** @throws HandshakesResting where the ledger or the host has to rest before all was read */
async function makeHandshake(tried: TriedHost, context: SecureContext): Promise<Omit<TrialAnswer, 'number'>> {
  const { ledger, host, address, port: number, servername } = tried;
  const socket = connectSocket({ host: address, port: number });
  const account = handshakes.begin(ledger, host);
  const stream = new HandshakeStream(socket, account);
  try {
    const error = await outcome(
      stream,
      connect({ socket: stream as unknown as Socket, servername, secureContext: context }),
    );
    if (error instanceof HandshakesResting) throw error;
    // Whatever came of it: what the host has sent was read.
    if (!error || stream.received > 0) return { spent: account.spent };
    return { spent: 0, failed: { message: error.message, code: (error as NodeJS.ErrnoException).code } };
  } finally {
    stream.destroy();
  }
}

/** What a handshake ends with: nothing where it is done. */
function outcome(stream: HandshakeStream, secured: ReturnType<typeof connect>): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const late = Object.assign(new Error(`no handshake within ${timeout} ms`), { code: 'ETIMEDOUT' });
    const timer = setTimeout(() => resolve(late), timeout);
    const end = (error?: Error) => {
      clearTimeout(timer);
      resolve(error);
    };
    stream.on('error', end);
    secured.on('error', end);
    secured.once('secureConnect', () => end());
    secured.once('close', () => end(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })));
  });
}
