import { type LevelWithSilent, type Logger, pino } from 'pino';

/** Bytes of lines that may wait to be written; more are dropped. */
const WAITING = 4 * 1024 * 1024;

/** The log: JSON lines on standard error. Lines that cannot be written, as to a file on a full disk, end nothing. */
export function createLogger(level: LevelWithSilent): Logger {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: WAITING });
  destination.on('error', () => {
    // At the end it would wait for what waits to be written, which may be for ever.
    destination.flushSync = () => {};
  });
  return pino({ level }, destination);
}
