import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCron, isTimezone, makeTimetable } from '../../src/base/timetable.js';
import { effort } from '../support/effort.js';
import '../support/seed.js';

const MINUTE = 60_000;
const at = (text: string) => Date.parse(text);
const iso = (instant: number | undefined) => instant && new Date(instant).toISOString().replace(':00.000Z', 'Z');

/** So many instants after a moment. */
function following(cron: string, zone: string, from: string, count: number): (string | number | undefined)[] {
  const { after } = makeTimetable([cron], zone);
  const instants: (string | number | undefined)[] = [];
  for (let instant: number | undefined = at(from); instants.length < count; ) {
    instant = after(instant!);
    instants.push(iso(instant));
  }
  return instants;
}

describe('the instants of a cron expression', () => {
  it.each<[cron: string, zone: string, from: string, instants: string[]]>([
    ['0 6 * * *', 'UTC', '2026-01-01T00:00Z', ['2026-01-01T06:00Z', '2026-01-02T06:00Z']],
    ['0 6 * * *', 'UTC', '2026-01-01T06:00Z', ['2026-01-02T06:00Z']],
    ['0 6 * * *', 'Asia/Kolkata', '2026-01-01T00:00Z', ['2026-01-01T00:30Z', '2026-01-02T00:30Z']],
    ['*/20 8-9 * JAN MON-FRI', 'UTC', '2026-01-02T09:30Z', ['2026-01-02T09:40Z', '2026-01-05T08:00Z']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', ['2028-02-29T00:00Z']],
    // Day of the month and day of the week, both given: either is enough.
    ['0 0 13 * 5', 'UTC', '2026-01-01T00:00Z', ['2026-01-02T00:00Z', '2026-01-09T00:00Z', '2026-01-13T00:00Z']],
    ['0 0 * * 7', 'UTC', '2026-01-01T00:00Z', ['2026-01-04T00:00Z']],
  ])('%s in %s', (cron, zone, from, instants) => {
    expect(following(cron, zone, from, instants.length)).toEqual(instants);
  });

  // In Zurich clocks go from 02:00 to 03:00 on 29 March 2026, and from 03:00 back to 02:00 on 25 October.
  it.each<[what: string, cron: string, from: string, instants: string[]]>([
    [
      'in the missing hour come when it is over',
      '30 2 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    ['of a list, too', '30 2,3 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-29T01:30Z']],
    ['of steps leave it out', '*/30 2 * * *', '2026-03-28T12:00Z', ['2026-03-30T00:00Z', '2026-03-30T00:30Z']],
    ['of every hour go on', '0 * * * *', '2026-03-29T00:00Z', ['2026-03-29T01:00Z', '2026-03-29T02:00Z']],
    [
      'in the repeated hour come once, at its first turn',
      '30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'of steps come in both',
      '*/30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-26T01:00Z'],
    ],
  ])('%s', (_, cron, from, instants) => {
    expect(following(cron, 'Europe/Zurich', from, instants.length)).toEqual(instants);
  });

  it('of several expressions are those of all, each once', () => {
    const { after, upTo } = makeTimetable(['0 6 * * *', '0 6,18 * * *'], 'UTC');
    expect(iso(after(at('2026-01-01T06:00Z')))).toBe('2026-01-01T18:00Z');
    expect(iso(upTo(at('2026-01-01T06:00Z')))).toBe('2026-01-01T06:00Z');
    expect(iso(upTo(at('2026-01-01T05:59:59.999Z')))).toBe('2025-12-31T18:00Z');
  });
});

/** A field of a cron expression, and whether a number is one that it means. */
function field(least: number, most: number): fc.Arbitrary<{ text: string; means(value: number): boolean }> {
  const number = fc.integer({ min: least, max: most });
  return fc.oneof(
    fc.constant({ text: '*', means: () => true }),
    number.map((one) => ({ text: `${one}`, means: (value: number) => value === one })),
    fc.tuple(number, number).map(([a, b]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      return { text: `${low}-${high}`, means: (value: number) => value >= low && value <= high };
    }),
    fc
      .tuple(number, number)
      .map(([a, b]) => ({ text: `${a},${b}`, means: (value: number) => value === a || value === b })),
    fc.integer({ min: 1, max: most }).map((step) => ({
      text: `*/${step}`,
      means: (value: number) => (value - least) % step === 0,
    })),
  );
}

const moment = fc.integer({ min: at('2024-01-01T00:00Z') / MINUTE, max: at('2030-01-01T00:00Z') / MINUTE });

describe('the timetable', () => {
  it('is what one finds by looking at each minute', () => {
    const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12));
    fc.assert(
      fc.property(fields, moment, ([minute, hour, day, month], from) => {
        const cron = `${minute.text} ${hour.text} ${day.text} ${month.text} *`;
        const within = 45 * 24 * 60;
        const { after } = makeTimetable([cron], 'UTC');
        let expected: number | undefined;
        for (let one = from + 1; one <= from + within && expected === undefined; one += 1) {
          const date = new Date(one * MINUTE);
          const fits =
            minute.means(date.getUTCMinutes()) &&
            hour.means(date.getUTCHours()) &&
            day.means(date.getUTCDate()) &&
            month.means(date.getUTCMonth() + 1);
          if (fits) expected = one * MINUTE;
        }
        const found = after(from * MINUTE);
        expect(found !== undefined && found <= (from + within) * MINUTE ? found : undefined, cron).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('goes back as it goes forward, in every zone', () => {
    const zones = [
      'UTC',
      'Europe/Zurich',
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Africa/Casablanca',
    ];
    const fields = fc.tuple(field(0, 59), field(0, 4), field(1, 31), fc.constantFrom(...zones));
    fc.assert(
      fc.property(fields, moment, ([minute, hour, day, zone], from) => {
        const { after, upTo } = makeTimetable([`${minute.text} ${hour.text} ${day.text} * *`], zone);
        const next = after(from * MINUTE)!;
        const last = upTo(from * MINUTE)!;
        expect(next).toBeGreaterThan(from * MINUTE);
        expect(next % MINUTE).toBe(0);
        expect(last).toBeLessThanOrEqual(from * MINUTE);
        expect(upTo(next)).toBe(next);
        expect(upTo(next - 1)).toBe(last);
        expect(after(last)).toBe(next);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a cron expression', () => {
  it.each(['* * * * *', '0 6 * * *', '0  6 * * *', '0-59/2 0,12 1 JAN-dec sun', '0 0 29 2 *', '0 0 30 2 1'])(
    'may be %j',
    (text) => expect(isCron(text)).toBe(true),
  );

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '0 0 30 2 *',
    '0 0 31 2,4,6,9,11 *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    '5/10 * * * *',
    '@daily',
    '0 0 L * *',
    '0 0 15W * *',
    '0 0 * * 5#1',
    '? * * * *',
    '-1 * * * *',
    '1.5 * * * *',
    '0 6 * * *\n',
    ' 0 6 * * *',
    '0\t6 * * *',
    '2026-01-01T00:00:00',
    '١ * * * *',
    'ABC * * * *',
    '* * * FOO *',
  ])('is not %j', (text) => expect(isCron(text)).toBe(false));

  it('is told to be none in little time, however it looks', () => {
    const texts = ['1,'.repeat(100_000), '*'.repeat(100_000), ' '.repeat(100_000), `${'1-1/1,'.repeat(50_000)}x`];
    let found: boolean[] = [];
    const spent = effort(() => {
      found = texts.map(isCron);
    });
    expect(found).toEqual(texts.map(() => false));
    expect(spent).toBeLessThan(2_000);
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Zurich', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'utc'])('may be %s', (text) =>
    expect(isTimezone(text)).toBe(true),
  );
  it.each(['', 'Nowhere/City', '+05:00', 'Europe/Zurich ', 'x'.repeat(65), '../UTC', 'Europe/'])('is not %j', (text) =>
    expect(isTimezone(text)).toBe(false),
  );
});
