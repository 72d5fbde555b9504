// First: what is loaded later may keep the function that reads JSON.
import '@countersign/protocol/replace-json-parse';

import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import { HandshakeStream } from './handshake-stream.js';
import { createHandshakes, HandshakesResting } from './handshakes.js';
import { handshakeLimits, trialLimits } from './outbound-limits.js';
import { ALPN, makeSecureContext } from './tls.js';
import type { TrialAnswer, TrialMessage, TrialResult, TrialSettings, TriedHost } from './trial-messages.js';

// The program of the thread that `trials.ts` starts.
const port = parentPort!;
const { ca, timeout } = workerData as TrialSettings;
const secureContext = makeSecureContext({ ca });
const handshakes = createHandshakes();

port.on('message', async ({ number, ...tried }: TrialMessage) => {
  const result = await tryHost(tried).catch((error) => failure(error));
  port.postMessage({ number, result } satisfies TrialAnswer);
});

/** The quickest of a few handshakes counts: the first one of a thread has code to load. */
async function tryHost(tried: TriedHost): Promise<TrialResult> {
  let found = await makeHandshake(tried);
  for (let made = 1; made < trialLimits.attempts && isSlow(found); made += 1) {
    const again = await makeHandshake(tried);
    // What is known by then counts.
    if (!('spent' in again)) break;
    if (again.spent < found.spent) found = again;
  }
  return found;
}

function isSlow(found: TrialResult): found is TrialResult & { readonly spent: number } {
  return 'spent' in found && found.spent > handshakeLimits.quick;
}

async function makeHandshake({ ledger, host, address, port: number, servername }: TriedHost): Promise<TrialResult> {
  // Anything else would be looked up, or be this machine.
  if (isIP(address) === 0) return failure(lost());
  try {
    handshakes.assertMayBegin(ledger, host);
  } catch (error) {
    return { resting: (error as HandshakesResting).milliseconds };
  }
  const account = handshakes.begin(ledger, host);
  const stream = new HandshakeStream(connectSocket({ host: address, port: number }), account);
  try {
    const error = await outcomeOf(stream, servername);
    // The rest of it may have been refused because this one took long.
    if (account.spent > handshakeLimits.quick) return { spent: account.spent };
    if (error instanceof HandshakesResting) return { resting: error.milliseconds };
    if (stream.isWaiting) return { resting: trialLimits.putOff };
    if (!error || (isAnswer(error) && stream.isRead)) return { spent: account.spent };
    return failure(error);
  } finally {
    stream.destroy();
  }
}

/**
 * What a handshake ends with: nothing where it is done, with whatever certificates. A call verifies them; the address and the protocols
 * that are asked for are its own.
 */
function outcomeOf(stream: HandshakeStream, servername: string | undefined): Promise<Error | undefined> {
  // The type asks for a socket; any stream is taken in its place.
  const socket = stream as unknown as Socket;
  const secured = connect({ socket, servername, secureContext, ALPNProtocols: [...ALPN], rejectUnauthorized: false });
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
    secured.once('close', () => end(lost()));
  });
}

/** Whether a host has ended the handshake after it was read: for want of a certificate of the client, say. */
function isAnswer({ code }: NodeJS.ErrnoException): boolean {
  return code !== 'ETIMEDOUT';
}

function lost(): Error {
  return Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });
}

function failure({ message, code = 'ECONNRESET' }: NodeJS.ErrnoException): TrialResult {
  return { failed: { message, code } };
}
