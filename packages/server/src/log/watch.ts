import { countStopped } from '../store/log/losses.js';
import { logLimits } from './log-limits.js';
import { type LossesOptions, tellLosses } from './losses.js';

/** Keeps what operators are told of the logs: losses, and how many logs are stopped. */
export function watchLogs(options: LossesOptions) {
  const { pool, logger } = options;
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
  const compare = async (): Promise<void> => {
    try {
      await tellLosses(options);
      await look();
    } catch (err) {
      if (isOver) return;
      logger.error({ err }, 'the logs could not be compared with what was shown, and are compared again');
      setTimeout(compare, logLimits.losses.again).unref();
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
    wentBack(): void {
      void compare();
    },
  };
}
