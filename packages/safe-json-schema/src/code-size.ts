import { isObject, type Json, type JsonObject } from './json.js';
import { subschemas } from './subschemas.js';

/** Characters that a keyword compiles to, beside the names on the way to it. */
const KEYWORD = 300;

/** How often the code of a keyword writes out the way to it: in the data, in the schema, and to the keyword's value. */
const WAYS = 3;

/** How often code writes out a name or pattern, where it is judged and where it is reported. */
const TEXTS = 6;

/** What a URI cannot hold; the compiler refuses names with them. */
const LONE_SURROGATES = /[\ud800-\udfff]/gu;

/** How long the code is that schemas compile to, at most, reckoned before it is made. */
export class CodeSize {
  readonly #lengths = new Map<string, number>();

  /** Characters of the way to a schema inside another one, given those of the way to that one. */
  way(outer: number, at: readonly string[]): number {
    return at.reduce((sum, name) => sum + 1 + this.#length(name), outer);
  }

  /** Characters that a schema compiles to by itself, at the end of a way of so many characters. */
  own(schema: JsonObject, way: number): number {
    const texts = textsOf(schema).reduce((sum, text) => sum + this.#length(text), 0);
    return Object.keys(schema).length * (KEYWORD + WAYS * way) + TEXTS * texts;
  }

  /** The same of a schema and those inside it. */
  whole(schema: Json, way: number): number {
    if (!isObject(schema)) return 0;
    const inside = subschemas(schema).all.map((part) => this.whole(part.schema, this.way(way, part.at)));
    return inside.reduce((sum, size) => sum + size, this.own(schema, way));
  }

  /** Characters of a text as it stands in code, be it in a path, where it is a part of a URI, or by itself. */
  #length(text: string): number {
    let length = this.#lengths.get(text);
    if (length === undefined) {
      const encoded = encodeURIComponent(text.replace(LONE_SURROGATES, '?'));
      length = Math.max(encoded.length, JSON.stringify(text).length);
      this.#lengths.set(text, length);
    }
    return length;
  }
}

/** The names and patterns of a schema that its code writes out. Longer lists of required names are read in a loop. */
function textsOf({ pattern, required, properties, patternProperties, dependencies }: JsonObject): string[] {
  const members = [properties, patternProperties, dependencies].filter(isObject);
  const names = isObject(dependencies) ? Object.values(dependencies).filter(Array.isArray).flat() : [];
  const only = Array.isArray(required) && required.length < LOOP ? required : [];
  const texts = [pattern, ...names, ...only].filter((text) => typeof text === 'string');
  return [...texts, ...members.flatMap((map) => Object.keys(map))];
}

/** The number of required names from which on code reads them in a loop. */
export const LOOP = 2;
