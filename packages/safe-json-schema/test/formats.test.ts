import { describe, expect, test } from 'vitest';
import { formats } from '../src/formats.js';
import { Meter } from '../src/meter.js';
import { bounds, compile, effort, outcome } from './support.js';

function has(format: string, text: string): boolean {
  return outcome(compile({ properties: { a: { format } } }), { a: text }) === 'valid';
}

describe('formats', () => {
  test.each(['UTC', 'Europe/Zurich', 'US/Eastern', 'Etc/GMT+1'])('%s is a time zone', (zone) => {
    expect(has('timezone', zone)).toBe(true);
  });

  test.each(['', 'Mars/Base', 'Europe/Zurich ', 'z'.repeat(1_000_000)])('%.20s is no time zone', (zone) => {
    expect(has('timezone', zone)).toBe(false);
  });

  test.each([
    ['date-time', '2030-01-01T00:00:00Z', '2030-13-01T00:00:00Z'],
    ['email', 'a@example.org', 'a@'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567'],
    ['uri', 'https://example.org/a', 'no uri'],
    ['ipv6', '::1', ':::'],
  ])('%s', (format, yes, no) => {
    expect([has(format, yes), has(format, no)]).toEqual([true, false]);
  });

  test('of quadratic cost are bounded in length', () => {
    const email = (length: number) => `${'a'.repeat(length - 5)}@b.cd`;
    expect([has('email', email(320)), has('email', email(321))]).toEqual([true, false]);
    const url = (length: number) => `http://b.cd/${'a'.repeat(length - 12)}`;
    expect([has('url', url(2_048)), has('url', url(2_049))]).toEqual([true, false]);
  });

  test('regex is charged for what compiling one takes', () => {
    const schema = compile({ properties: { a: { format: 'regex' } } });
    const of = (text: string) => outcome(schema, { a: text });
    expect([of('^[a-z]{1,3}$'), of('(?:a)'.repeat(50_000)), of('([')]).toEqual(['valid', 'valid', 'invalid']);
    expect(of('(?:a)'.repeat(65_000))).toBe('exhausted');
  });

  const stems = [
    'a',
    '(a)',
    '1',
    'a.',
    'a-',
    'a@',
    '/',
    ':',
    '{a',
    '%20',
    '#/',
    'AAAA\n',
    '(',
    '\\',
    '0',
    'P1',
    '::',
    '2030-01-01T',
    '12:00:00.1',
  ];
  const hostile = stems.flatMap((stem) =>
    ['', 'a@', 'http://', '{', '#/', 'P'].map((start) => `${start}${stem.repeat(200_000 / stem.length)}!`),
  );

  test.each(Object.keys(formats(new Meter(bounds))))('%s takes no long time on any text', (format) => {
    const schema = compile({ properties: { a: { format } } });
    for (const text of hostile) expect(effort(() => schema.validate({ a: text }))).toBeLessThan(5_000);
  });
});
