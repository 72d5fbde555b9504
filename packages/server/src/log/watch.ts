import { countStopped } from '../store/log/losses.js';
import { logLimits } from './log-limits.js';
import { type LossesOptions, tellLosses } from './losses.js';

/** Keeps what operators are told of the logs: losses, and how many logs are stopped. */
export function watchLogs(options: LossesOptions) {
  const { pool, logger, lost } = options;
  let stopped = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  // Without the database, what was known still holds.
  const look = () =>
    countStopped(pool).then(
      (count) => {
        stopped = count;
      },
      () => {},
    );
  /** @param before logs that were found to have less, of other ledgers */
  const compare = async (only?: ReadonlySet<string>, before = 0): Promise<void> => {
    try {
      const { logs, away } = await tellLosses(options, only);
      lost(before + logs);
      await look();
      if (away.length > 0 && !isOver) setTimeout(compare, logLimits.losses.pause, new Set(away), before + logs).unref();
    } catch (err) {
      if (isOver) return;
      logger.error({ err }, 'the logs could not be compared with what was shown, and are compared again');
      setTimeout(compare, logLimits.losses.again, only, before).unref();
    }
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
    /** @param ledgers luids of those that have gone on from an earlier point, unless all have */
    wentBack(ledgers?: readonly string[]): void {
      void compare(ledgers && new Set(ledgers));
    },
  };
}
