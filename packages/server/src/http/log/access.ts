import { LedgerError } from '@countersign/protocol';
import type { FastifyRequest } from 'fastify';
import { cacheLimits, LruCache } from '../../base/lru-cache.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Ledger } from '../../ledgers/ledger.js';
import { inSession, type Session } from '../../ledgers/session.js';
import { logLimits } from '../../log/log-limits.js';
import { readableRecord } from '../../operations/readable-record.js';
import { makeCommand } from '../command.js';

/** Lets requests for the log of a ledger in, or refuses them. @returns whether everyone may have the answer */
export type Admit = (session: Session, request: FastifyRequest) => Promise<boolean>;

/** What everyone gets who asks for something that is not there, or not for anyone. */
export function noRoute(): LedgerError {
  return new LedgerError('api.route-not-found', 'Route not found');
}

/** Whether it says that there is no such route, or no such ledger. */
export function isNoRoute(error: unknown): boolean {
  return error instanceof LedgerError && error.reason === 'api.route-not-found';
}

/** @throws what everyone gets, for an unknown ledger; any other error unchanged */
export function asNoRoute(error: unknown): never {
  throw isNoRoute(error) ? noRoute() : error;
}

/**
 * Admits requests by the ledger's configuration (interface/log#who-may-read-a-log). That a ledger is open is looked at
 * once a second; who may read its record, at each request.
 *
 * @param clock milliseconds of a monotonic clock
 */
export function createAdmit(clock: () => number): Admit {
  const open = new LruCache<number, { readonly state: Ledger; readonly since: number }>(cacheLimits.ledgers);

  const assertOpen = async (session: Session) => {
    const { ledger } = session;
    const known = open.get(ledger.id);
    if (known?.state === ledger && clock() - known.since < logLimits.open) return;
    const since = clock();
    await session.assertStillCurrent();
    open.set(ledger.id, { state: ledger, since });
  };

  return async (session, request) => {
    let read: ReturnType<typeof makeCommand> | undefined;
    /** Of one request only once, since a token may be for one use. */
    const command = () => {
      read ??= makeCommand(aboveBase(session), session.ledger, request, '');
      return read;
    };
    return inSession(session, async (session) => {
      const { log } = session.ledger.config;
      if (log === 'closed') throw noRoute();
      if (log === 'open') {
        await assertOpen(session);
        return true;
      }
      await readableRecord(session, LEDGER, await command(), (await command()).token);
      return false;
    });
  };
}

const LEDGER = kindNamed('ledger');

/** Logs lie beside the base path: so do the URLs that tokens for them are bound to. */
function aboveBase(session: Session): Session {
  const above = (url: string) => url.replace(/\/v2$/, '');
  const { publicUrl, publicAliases = [] } = session;
  return { ...session, publicUrl: above(publicUrl), publicAliases: publicAliases.map(above) };
}
