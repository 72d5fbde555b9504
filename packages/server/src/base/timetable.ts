import { Cron } from 'croner';

/** The instants that cron expressions name together in one time zone. All are milliseconds since 1970, on the minute. */
export type Timetable = ReturnType<typeof makeTimetable>;

const FIELD_VALUE = '(?:\\d{1,2}|[A-Za-z]{3})';
const ITEM = `(?:\\*|${FIELD_VALUE}(?:-${FIELD_VALUE})?)(?:/\\d{1,2})?`;
const FIELD = `${ITEM}(?:,${ITEM})*`;

/**
 * Five fields of what every cron knows: numbers, names of months and days, `*`, lists, ranges and steps. The library takes
 * more (seconds, years, `L`, `W`, `#`, dates), which another one would read otherwise.
 */
const EXPRESSION = new RegExp(`^${FIELD}(?: +${FIELD}){4}$`);

/** A name of the time zone database: no offset, which some releases of Node.js take and others do not. */
const ZONE_NAME = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;
const LONGEST_ZONE = 64;

/** From here on each expression that names any instant names one within eight years. */
const BEGINNING = new Date(Date.UTC(2000, 0, 1));

/** Whether the text is a cron expression of five fields that names any instant at all: 30 February is none. */
export function isCron(text: string): boolean {
  if (!EXPRESSION.test(text)) return false;
  try {
    return parseCron(text, 'UTC').nextRun(BEGINNING) !== null;
  } catch {
    return false;
  }
}

export function isTimezone(text: string): boolean {
  if (text.length > LONGEST_ZONE || !ZONE_NAME.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * @param expressions each as `isCron` takes them
 * @param timezone as `isTimezone` takes it
 */
export function makeTimetable(expressions: readonly string[], timezone: string) {
  const crons = expressions.map((text) => parseCron(text, timezone));
  const timesOf = (dates: readonly (Date | null | undefined)[]) =>
    dates.flatMap((date) => (date ? [date.getTime()] : []));
  return {
    /** The first instant after this one; nothing when there is none. */
    after(instant: number): number | undefined {
      const times = timesOf(crons.map((cron) => cron.nextRun(new Date(instant))));
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** The last instant up to this one, which counts; nothing when there is none. */
    upTo(instant: number): number | undefined {
      // The library leaves out the instant itself.
      const times = timesOf(crons.map((cron) => cron.previousRuns(1, new Date(instant + 1))[0]));
      return times.length === 0 ? undefined : Math.max(...times);
    },
  };
}

/**
 * Where clocks are put forward, what names no step (`30 2 * * *`) and falls into the missing hour comes when that hour is
 * over, and `*` and steps leave it out; where they are put back, the former come once, at the first of the two, and the
 * latter twice.
 */
function parseCron(text: string, timezone: string): Cron {
  return new Cron(text, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
}
