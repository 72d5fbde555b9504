import { canonical } from './canonical.js';
import type { Json, JsonObject } from './json.js';
import { portable, type Suite } from './suite.js';

/**
 * The hash of a record's, list's or error's `data`: hex of sha256 over its canonical form
 * (interface/envelope#hash-and-digest).
 *
 * @throws TypeError unless `data` is JSON
 */
export function hash(data: Json, suite: Suite = portable): string {
  return suite.sha256(canonical(data));
}

/**
 * What a proof signs: hex of sha256 over the text of `hash` followed by the canonical `custom`
 * (interface/envelope#hash-and-digest). `hash` counts in its lower-case form whichever way it was sent, because that is
 * how it is served and checked later.
 *
 * @throws TypeError unless `custom` is JSON
 */
export function digest(hash: string, custom: JsonObject | undefined, suite: Pick<Suite, 'sha256'> = portable): string {
  const text = hash.toLowerCase();
  return suite.sha256(custom === undefined ? text : text + canonical(custom));
}
