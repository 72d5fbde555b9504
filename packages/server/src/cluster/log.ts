import { type LevelWithSilent, type Logger, pino } from 'pino';

/** Bytes of lines that wait to be written; further lines are dropped. */
const WAITING_BYTES = 4 * 1024 * 1024;

/** The log: JSON lines on standard error. The process survives failed writes, as to a file on a full disk. */
export function createLogger(level: LevelWithSilent): Logger {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: WAITING_BYTES });
  destination.on('error', () => {
    // The flush at exit would otherwise retry the pending lines, possibly for ever.
    destination.flushSync = () => {};
  });
  return pino({ level }, destination);
}
