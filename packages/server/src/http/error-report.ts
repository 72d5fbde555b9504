import { TokenRefused } from '../auth/token.js';
import { BridgeSecurityError } from '../bridges/security.js';
import { Corrupt } from '../integrity/integrity.js';
import { OutboundFailure } from '../outbound/outbound.js';
import { WritesRefused } from '../store/writes-refused.js';
import type { ReportError } from './boundary.js';
import type { Received } from './command.js';
import type { HttpService } from './http-service.js';

/** Logs an outbound failure as a warning only: its remedy lies with another operator, and it may last for days. */
export function makeErrorReport(service: HttpService, { log, method, url, routeOptions }: Received): ReportError {
  return (error, ledger) => {
    if (error instanceof TokenRefused) {
      service.tokenRefused?.({ method, route: routeOptions.url, ledger: ledger?.handle, why: error.why });
      return;
    }
    // Why writes are refused was logged once, instead of one line for every refused write.
    if (error instanceof WritesRefused) return;
    if (error instanceof BridgeSecurityError) {
      log.warn({ method, url, kind: 'security', failure: error.message }, 'outbound call failed');
    } else if (error instanceof OutboundFailure) {
      const { kind, code, message } = error;
      log.warn({ method, url, kind, code, failure: message }, 'outbound call failed');
    } else if (!(error instanceof Corrupt)) {
      // Corruption has been logged where it was found.
      log.error({ err: error, method, url }, 'unexpected error');
    }
  };
}
