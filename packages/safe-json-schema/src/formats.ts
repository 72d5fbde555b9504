import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Meter } from './meter.js';

/**
 * Formats whose expressions take time quadratic in the text, with the greatest length accepted: an address has at most
 * 320 characters (RFC 3696), and few programs take URLs longer than 2,048.
 */
const QUADRATIC: Readonly<Record<string, number>> = { email: 320, url: 2_048 };

/** Formats that compile the text, which takes up to a fifth of a microsecond for each character. */
const COMPILED: readonly string[] = ['regex'];

/** Formats whose checks are made anew for each text, at some thousand steps each. */
const SLOW_CHECK = 1_000;

/** The greatest length of a time zone's name; the longest there is has 32 characters. */
const LONGEST_ZONE_NAME = 64;

/**
 * The formats a schema can name: those of ajv-formats, and `timezone`, a name of the time zone database as
 * `Europe/Zurich`. `meter` is charged for each text checked.
 */
export function formats(meter: Meter): Record<string, Format> {
  const metered: Record<string, Format> = {
    timezone(text: string) {
      meter.spend(SLOW_CHECK);
      return isZone(text);
    },
  };
  for (const [name, format] of Object.entries(fullFormats)) {
    const check = textCheck(format as Format);
    metered[name] = check === undefined ? (format as Format) : meterCheck(name, check, meter);
  }
  return metered;
}

function textCheck(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format as (text: string) => boolean;
  if (typeof format !== 'object' || format.type === 'number') return undefined;
  return format.validate as (text: string) => boolean;
}

function meterCheck(name: string, check: (text: string) => boolean, meter: Meter): (text: string) => boolean {
  const longest = QUADRATIC[name];
  if (longest === undefined) {
    const perCharacter = COMPILED.includes(name) ? 2 : 1 / 4;
    return (text) => {
      meter.spend(1 + Math.floor(text.length * perCharacter));
      return check(text);
    };
  }
  return (text) => {
    if (text.length > longest) return false;
    meter.spend(1 + text.length + ((text.length * text.length) >> 4));
    return check(text);
  };
}

function isZone(text: string): boolean {
  if (text.length > LONGEST_ZONE_NAME) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}
