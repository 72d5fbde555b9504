import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { moment } from '../base/clock.js';
import type { Answer } from '../records/command.js';
import type { HttpService } from './http-service.js';
import { resolveLedger } from './tenant.js';

/** Release of the interface that is served. */
export const INTERFACE = '2.36.0';

/**
 * `GET {base_url}` (interface/ledgers#server-information): hashed, unsigned, for every caller.
 *
 * @param named the ledger of the request, which need not be there
 * @param began when this process began to serve, in milliseconds since 1970
 */
export async function information(service: HttpService, named: string | undefined, began: number): Promise<Answer> {
  const isReady = service.readiness.isReady();
  // Without its database the server cannot tell whether a ledger is there.
  const ledger = isReady ? await resolveLedger(service, named).catch(() => undefined) : undefined;
  const data: JsonObject = {
    handle: service.name,
    server: service.publicUrl,
    semver: INTERFACE,
    ...(ledger ? { ledger: ledger.handle } : {}),
    status: isReady ? 'UP' : 'DOWN',
    uptime: Math.max(0, Math.floor((service.runtime.now() - began) / 1_000)),
    dependencies: { db: isReady ? 'CONNECTED' : 'ERROR' },
    build: service.build,
  };
  const hash = hashOf(data, service.suite);
  return { status: 200, body: JSON.stringify({ hash, data, meta: { moment: moment(service.runtime) } }) };
}
