import type { IncomingMessage } from 'node:http';
import type { Runtime } from '../../base/clock.js';
import { REQUEST_ID } from '../../records/command.js';
import { requestLimits } from '../request-limits.js';

/** Letters, digits and what separates them in common ids: nothing that a log, a header or a shell reads as its own. */
const ACCEPTED_ID = /^[\w.:/+=@-]+$/;

/** Random bytes of an id that is made: no two processes make the same one. */
const RANDOM_BYTES = 10;

/** The id of each request: the client's where it is well-formed and short, else one that is made. */
export function makeRequestIds(random: Runtime['random']): (raw: Pick<IncomingMessage, 'headers'>) => string {
  return ({ headers }) => {
    const sent = headers[REQUEST_ID];
    if (typeof sent === 'string' && sent.length <= requestLimits.id && ACCEPTED_ID.test(sent)) return sent;
    return makeRequestId(random);
  };
}

/** An id for what came without a usable one. */
export function makeRequestId(random: Runtime['random']): string {
  return `req-${Buffer.from(random(RANDOM_BYTES)).toString('hex')}`;
}
