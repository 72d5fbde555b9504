import { parseInteger } from './config-values.js';

/** A number, or `off` for no limit. @throws Error whose message completes a sentence that begins with the setting's name */
function parseLimit(text: string): number | undefined {
  if (text === 'off') return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`must be a whole number or off, not ${JSON.stringify(text)}`);
  return parseInteger(text, 1, 1_000_000);
}

/** The settings of what one address, and one ledger, may do in a time. The defaults are above what honest clients send. */
export const rateSettings = {
  addressRequests: {
    name: 'ADDRESS_REQUESTS',
    default: '`10000`',
    meaning:
      'Requests per second and server (machine) that one address may send, over five seconds; more are answered [429](../interface/limits.md#rates). Behind a proxy set `TRUSTED_PROXIES`: all clients are one address otherwise. `off` for no limit.',
    read: (text = '10000') => parseLimit(text),
  },
  addressLedgers: {
    name: 'ADDRESS_LEDGERS',
    default: '`3600`',
    meaning:
      'Ledgers per hour and server (machine) that one address may ask for, all at once if it likes. `off` for no limit.',
    read: (text = '3600') => parseLimit(text),
  },
  addressConnections: {
    name: 'ADDRESS_CONNECTIONS',
    default: '`1024`',
    meaning:
      'Connections that one address may have open to each serving process; more are closed at once. Trusted proxies are not counted. `off` for no limit.',
    read: (text = '1024') => parseLimit(text),
  },
  ledgerWrites: {
    name: 'LEDGER_WRITES',
    default: '`5000`',
    meaning:
      'Writes per second and server (machine) in one ledger that its rules grant, over five seconds; more are answered [429](../interface/limits.md#rates). `off` for no limit.',
    read: (text = '5000') => parseLimit(text),
  },
} as const;
