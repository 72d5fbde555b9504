const INSTANT = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([ +-])(\d\d):?(\d\d))?)?$/;

/** The instants that the database accepts: the first and the last of the years 1 to 9999. */
const MIN_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * An ISO 8601 date, optionally with a time, as an instant in UTC to the microsecond. A missing offset means UTC. The
 * `+` of an offset may arrive as the space that it means in a query.
 *
 * @returns undefined for malformed dates and days outside the calendar; instants outside the years 1 to 9999 are
 *   clamped, since every record lies within
 */
export function instantOf(text: string): string | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offset = Number(match[10] ?? 0) * 60 + Number(match[11] ?? 0);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (Number(match[10] ?? 0) > 23 || Number(match[11] ?? 0) > 59) return undefined;
  const fraction = (match[7] ?? '').padEnd(6, '0');
  date.setUTCHours(hour, minute - (match[9] === '-' ? -offset : offset), second, Number(fraction.slice(0, 3)));
  const within = Math.min(Math.max(date.getTime(), MIN_INSTANT), MAX_INSTANT);
  return `${new Date(within).toISOString().slice(0, -1)}${fraction.slice(3, 6)}Z`;
}
