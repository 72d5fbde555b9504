import type { FastifyReply, FastifyRequest } from 'fastify';
import { logLimits } from '../../log/log-limits.js';
import type { Answer } from '../../records/command.js';
import { alsoExpose } from '../cors.js';
import type { HttpService } from '../http-service.js';

/**
 * Holds the answer to a write until its change is sealed, where `prefer: wait` asks for that (RFC 7240,
 * interface/log#wait-until-sealed), and tells the place of its leaf in headers.
 *
 * @param ledger its id
 */
export async function holdUntilSealed(
  { logs }: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  ledger: number,
  { change }: Answer,
): Promise<void> {
  const seconds = change && secondsIn(request.headers.prefer);
  if (!change || seconds === undefined) return;
  const { socket } = request.raw;
  const left = new AbortController();
  const leave = () => left.abort();
  if (socket.destroyed) leave();
  socket.once('close', leave);
  const of = { ledger, luid: change.luid, change: change.number };
  const place = await logs.whenSealed(of, seconds * 1000, left.signal);
  socket.off('close', leave);
  if (place === 'full' || place === 'stalled') return;
  reply.header('preference-applied', `wait=${seconds}`);
  alsoExpose(reply, 'countersign-log-index, countersign-log-size, preference-applied');
  if (!place) return;
  reply.header('countersign-log-index', String(place.index));
  reply.header('countersign-log-size', String(place.size));
}

/** The seconds that a preference to wait asks for, as many as there may be; undefined where there is none. */
function secondsIn(prefer: string | string[] | undefined): number | undefined {
  const asked = String(prefer ?? '')
    .split(',')
    .map((one) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(one)?.[1]);
  const [first] = asked.filter((one) => one !== undefined).map(Number);
  return first === undefined || first === 0 ? undefined : Math.min(first, logLimits.waiting.seconds);
}
