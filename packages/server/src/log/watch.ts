import { countStopped } from '../store/log/losses.js';
import { logLimits } from './log-limits.js';
import { type LossesOptions, tellLosses } from './losses.js';

/** Keeps what operators are told of the logs: losses, and how many logs are stopped. */
export function watchLogs(options: LossesOptions) {
  const { pool, logger, lost } = options;
  let stopped = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  /** Luids of ledgers whose logs have less than was shown, each by the latest comparison of it. */
  const found = new Set<string>();
  let comparing: Promise<void> = Promise.resolve();

  // Without the database, what was known still holds.
  const look = () =>
    countStopped(pool).then(
      (count) => {
        stopped = count;
      },
      () => {},
    );
  const compareOnce = async (only?: ReadonlySet<string>): Promise<void> => {
    if (isOver) return;
    try {
      const { less, away } = await tellLosses(options, only);
      // Of ledgers that could not be compared, what was found before still holds.
      const unknown = new Set(away);
      for (const luid of found) if (!unknown.has(luid) && (only?.has(luid) ?? true)) found.delete(luid);
      for (const luid of less) found.add(luid);
      lost(found.size);
      await look();
      if (away.length > 0 && !isOver) setTimeout(compare, logLimits.losses.pause, unknown).unref();
    } catch (err) {
      if (isOver) return;
      logger.error({ err }, 'the logs could not be compared with what was shown, and are compared again');
      setTimeout(compare, logLimits.losses.again, only).unref();
    }
  };
  /** One after another: a later one has what is newer. @param only luids; all ledgers unless given */
  const compare = (only?: ReadonlySet<string>): void => {
    comparing = comparing.then(() => compareOnce(only));
  };
  return {
    start(): void {
      void look();
      timer = setInterval(look, logLimits.losses.pause).unref();
    },
    stop(): void {
      isOver = true;
      clearInterval(timer);
    },
    countStopped: () => stopped,
    /** @param ledgers luids of those that have gone back in time, unless all have */
    wentBack(ledgers?: readonly string[]): void {
      compare(ledgers && new Set(ledgers));
    },
  };
}
