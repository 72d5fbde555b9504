import type { FastifyRequest } from 'fastify';
import { TokenRefused } from '../auth/token.js';
import { BridgeSecurityError } from '../bridges/security.js';
import { Corrupt } from '../integrity/integrity.js';
import { OutboundFailure } from '../outbound/outbound.js';
import { DiskFull } from '../store/disk-space.js';
import type { Report } from './boundary.js';
import type { HttpService } from './http-service.js';

/** A service outside that gives no answer is its operator's affair, and may be so for every request of a day. */
export function reporting(service: HttpService, { log, method, url, routeOptions }: FastifyRequest): Report {
  return (error, ledger) => {
    if (error instanceof TokenRefused) {
      service.tokenRefused?.({ method, route: routeOptions.url, ledger: ledger?.handle, why: error.why });
      return;
    }
    // Of a full disk is told once, and not with every write that it refuses.
    if (error instanceof DiskFull) return;
    if (error instanceof BridgeSecurityError) {
      log.warn({ method, url, kind: 'security', failure: error.message }, 'outbound call failed');
    } else if (error instanceof OutboundFailure) {
      const { kind, code, message } = error;
      log.warn(
        { method, url, kind, ...(code === undefined ? {} : { code }), failure: message },
        'outbound call failed',
      );
    } else if (!(error instanceof Corrupt)) {
      // What is corrupt is in the log already.
      log.error({ err: error, method, url }, 'unexpected error');
    }
  };
}
