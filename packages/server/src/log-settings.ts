import { parseUrl } from './config-values.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A level of the log. */
export type LogLevel = (typeof logLevels)[number];

/**
 * The part of all requests that the access log has, from 0 to 1; undefined for no access log.
 *
 * @throws Error whose message completes a sentence that begins with the setting's name
 */
function parseShare(text: string): number | undefined {
  if (text === 'off') return undefined;
  if (text === 'all') return 1;
  const percent = /^\d{1,3}(\.\d{1,3})?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (!(percent <= 100)) throw new Error(`must be off, all or a percentage such as 1%, not ${JSON.stringify(text)}`);
  return percent / 100;
}

/**
 * Days for which entries of request journals are kept.
 *
 * @throws Error as `parseShare` does
 */
function parseDays(text: string): number | 'off' {
  if (text === 'off') return text;
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 3_650)
    throw new Error(`must be off or a number of days from 1 to 3650, not ${JSON.stringify(text)}`);
  return days;
}

/** Where traces are sent, and of which part of all requests. */
export interface TraceConfig {
  readonly traceEndpoint: string | undefined;
  readonly traceShare: number;
}

/** The settings of the log, of traces, and of the journals of requests. */
export const logSettings = {
  logLevel: {
    name: 'LOG_LEVEL',
    default: '`info`',
    meaning: `What is logged: ${logLevels.map((level) => `\`${level}\``).join(', ')}.`,
    read: (text = 'info') => {
      const level = logLevels.find((known) => known === text);
      if (level === undefined) throw new Error(`must be one of ${logLevels.join(', ')}, not ${JSON.stringify(text)}`);
      return level;
    },
  },
  accessLog: {
    name: 'ACCESS_LOG',
    default: '`1%`',
    meaning:
      'Requests that have a line in the [access log](monitoring.md#access-log): `all`, or a part of those that succeed, with those that are refused or fail (`0%` for these alone). `off` for none.',
    read: (text = '1%') => parseShare(text),
  },
  traceEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: 'off',
    meaning:
      'Where [traces](tracing.md) are sent: the base URL of a receiver of OTLP over HTTP, such as `http://127.0.0.1:4318`. It takes packages that are installed apart.',
    read: (text: string | undefined) => (text === undefined ? undefined : parseUrl(text, 'http://localhost:4318')),
  },
  traceShare: {
    name: 'TRACE_SHARE',
    default: '`1%`',
    meaning: 'Requests that are [traced](tracing.md#what-is-traced), where traces are sent: `all`, or a part of them.',
    read: (text = '1%') => parseShare(text) ?? 0,
  },
  journalDays: {
    name: 'JOURNAL_DAYS',
    default: '`90`',
    meaning:
      'Days for which entries are kept of the [journals of requests](../interface/journal.md) that ledgers ask for, from 1 to 3650. `off`: no ledger keeps one.',
    read: (text = '90') => parseDays(text),
  },
} as const;
