import { LedgerError } from './errors.js';
import type { Json, JsonBounds, JsonObject } from './json.js';
import { BeyondBounds } from './json-reader.js';
import { readJson } from './read-json.js';

/** Longest place shown in a detail: keys are the caller's, and may be as long as a body. */
const PLACE_SHOWN = 200;

/**
 * Parses `text` and refuses what would change by hashing, storing and reading back: numbers beyond the safe integers,
 * strings with lone surrogates or U+0000, and keys that reach for an object's prototype.
 *
 * @throws LedgerError `api.body-malformed`, the detail naming what is wrong and where, as a JSON pointer
 *   (interface/records#request-bodies)
 */
export function parseJson(text: string, bounds: JsonBounds): Json {
  let value: Json;
  try {
    value = readJson(text, bounds) as Json;
  } catch (error) {
    if (error instanceof BeyondBounds) throw malformedBody(beyond(error.bound, bounds), error.place);
    throw new LedgerError('api.body-malformed', 'Malformed JSON body');
  }
  new Walk(bounds, mayHoldBadText(text)).visit(value, 0);
  return value;
}

/**
 * Whether any string in `text` needs a look. A bad character reaches a string only as a `\u` escape or as a lone
 * surrogate of the text itself (JSON excludes raw U+0000), so one scan of the text spares one per string.
 */
function mayHoldBadText(text: string): boolean {
  return text.includes('\\u') || /\p{Surrogate}/u.test(text);
}

/** One pass over a parsed value. Recursion is bounded by `bounds.depth`. */
class Walk {
  readonly #bounds: JsonBounds;
  readonly #checkText: boolean;
  readonly #place: (string | number)[] = [];
  #values = 0;

  constructor(bounds: JsonBounds, checkText: boolean) {
    this.#bounds = bounds;
    this.#checkText = checkText;
  }

  /** Checks `value`, which lies within `depth` arrays and objects. */
  visit(value: Json, depth: number): void {
    switch (typeof value) {
      case 'string':
        if (this.#checkText) this.#text(value, depth);
        return;
      case 'number':
        // JSON excludes NaN; 1e400 is parsed as Infinity.
        if (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER) {
          this.#refuse('holds a number that cannot be represented exactly', depth);
        }
        return;
      case 'object':
        if (value === null) return;
        if (depth === this.#bounds.depth) this.#refuse(beyond('depth', this.#bounds), depth);
        if (Array.isArray(value)) this.#elements(value, depth);
        else this.#members(value, depth);
    }
  }

  #elements(array: Json[], depth: number): void {
    this.#count(array.length, depth);
    for (let index = 0; index < array.length; index++) {
      this.#place[depth] = index;
      this.visit(array[index] as Json, depth + 1);
    }
  }

  #members(object: JsonObject, depth: number): void {
    const keys = Object.keys(object);
    this.#count(keys.length, depth);
    for (const key of keys) {
      const value = object[key] as Json;
      this.#place[depth] = key;
      if (this.#checkText) this.#text(key, depth + 1);
      if (key === '__proto__' || (key === 'constructor' && reachesPrototype(value))) {
        this.#refuse(`must not have the key '${key}'`, depth + 1);
      }
      this.visit(value, depth + 1);
    }
  }

  #count(more: number, depth: number): void {
    this.#values += more;
    if (this.#values > this.#bounds.values) this.#refuse(beyond('values', this.#bounds), depth);
  }

  #text(text: string, depth: number): void {
    if (text.includes('\0')) this.#refuse('holds the character U+0000', depth);
    if (/\p{Surrogate}/u.test(text)) this.#refuse('holds text that is not Unicode (a lone surrogate)', depth);
  }

  #refuse(what: string, depth: number): never {
    throw malformedBody(what, this.#place.slice(0, depth));
  }
}

function beyond(bound: keyof JsonBounds, { depth, values }: JsonBounds): string {
  return bound === 'depth' ? `is nested deeper than ${depth} levels` : `holds more than ${values} values`;
}

function malformedBody(what: string, place: readonly (string | number)[]): LedgerError {
  return new LedgerError('api.body-malformed', `JSON body ${what}, at '${pointer(place)}'`);
}

function reachesPrototype(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** The JSON pointer (RFC 6901) to a place, cut to a length fit to show and made valid Unicode, as errors are hashed. */
function pointer(place: readonly (string | number)[]): string {
  let text = '';
  for (const step of place) {
    text += `/${String(step).slice(0, PLACE_SHOWN).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (text.length > PLACE_SHOWN) break;
  }
  const shown = text.length > PLACE_SHOWN ? `${text.slice(0, PLACE_SHOWN)}…` : text;
  return shown.replaceAll('\0', '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd');
}
