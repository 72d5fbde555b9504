import type { Json, JsonBounds, JsonObject } from './json.js';
import { endOfString, skipSpace } from './json-text.js';

/** The engine's own, which reads a string alone right everywhere. */
const nativeParse = JSON.parse as (text: string) => Json;

const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const JSON_WORDS = { n: ['null', null], t: ['true', true], f: ['false', false] } as const;

/**
 * Makes objects like any others, except that the engine does not go by them in what it reads later: it takes the names that it
 * expects there from objects that it has read itself, and from copies of those.
 */
function Members() {}
Members.prototype = Object.prototype;
const NewMembers = Members as unknown as new () => JsonObject;

/** An array or object whose end is not read yet. */
interface OpenContainer {
  readonly value: Json[] | JsonObject;
  readonly end: ']' | '}';
  /** The name of the member whose value comes next. */
  name: string;
}

/** A text goes beyond a bound; what comes after is not read. */
export class BeyondBounds extends Error {
  override readonly name = 'BeyondBounds';
  readonly bound: keyof JsonBounds;
  /** Names and indices on the way to the array or object that does. */
  readonly place: readonly (string | number)[];

  constructor(bound: keyof JsonBounds, place: readonly (string | number)[]) {
    super(`The JSON text goes beyond the bound of ${bound}`);
    this.bound = bound;
    this.place = place;
  }
}

/**
 * Reads JSON as the specification of `JSON.parse` says, of any depth, and without the engine's reading of objects.
 *
 * @param bounds members that are repeated count each time
 * @throws SyntaxError for what is no JSON: the engine's own
 * @throws BeyondBounds
 */
export function parseStrictly(text: string, bounds?: JsonBounds): Json {
  try {
    return new JsonReader(text, bounds).read();
  } catch (error) {
    if (!(error instanceof BeyondBounds)) nativeParse(text);
    throw error;
  }
}

class JsonReader {
  readonly #text: string;
  readonly #depth: number;
  readonly #most: number;
  #at = 0;
  #values = 0;

  constructor(text: string, { depth, values }: JsonBounds = { depth: Infinity, values: Infinity }) {
    this.#text = text;
    this.#depth = depth;
    this.#most = values;
  }

  read(): Json {
    // On a stack of its own, since the text may nest a million arrays, as for the engine.
    const open: OpenContainer[] = [];
    for (;;) {
      if (open.length > 0 && ++this.#values > this.#most) throw new BeyondBounds('values', placeIn(open.slice(0, -1)));
      const begun = this.#begin();
      if (begun && open.length === this.#depth) throw new BeyondBounds('depth', placeIn(open));
      let value = begun ? begun.value : this.#leaf();
      if (begun && !this.#take(begun.end)) {
        if (begun.end === '}') begun.name = this.#name();
        open.push(begun);
        continue;
      }
      for (let within = open.at(-1); ; within = open.at(-1)) {
        if (!within) return this.#end(value);
        addValue(within, value);
        if (this.#take(',')) {
          if (within.end === '}') within.name = this.#name();
          break;
        }
        this.#expect(within.end);
        value = within.value;
        open.pop();
      }
    }
  }

  /** The array or object that begins here, if one does. */
  #begin(): OpenContainer | undefined {
    if (this.#take('[')) return { value: [], end: ']', name: '' };
    if (this.#take('{')) return { value: new NewMembers(), end: '}', name: '' };
    return undefined;
  }

  #leaf(): Json {
    const mark = this.#text[this.#at];
    if (mark === '"') return this.#string();
    if (mark === 'n' || mark === 't' || mark === 'f') {
      const [word, value] = JSON_WORDS[mark];
      if (!this.#text.startsWith(word, this.#at)) this.#refuse();
      this.#at += word.length;
      return value;
    }
    JSON_NUMBER.lastIndex = this.#at;
    const [digits] = JSON_NUMBER.exec(this.#text) ?? this.#refuse();
    this.#at += digits.length;
    return Number(digits);
  }

  #name(): string {
    this.#at = skipSpace(this.#text, this.#at);
    const name = this.#string();
    this.#expect(':');
    return name;
  }

  #string(): string {
    if (this.#text[this.#at] !== '"') this.#refuse();
    const end = endOfString(this.#text, this.#at + 1);
    const value = nativeParse(this.#text.slice(this.#at, end)) as string;
    this.#at = end;
    return value;
  }

  #end(value: Json): Json {
    if (skipSpace(this.#text, this.#at) < this.#text.length) this.#refuse();
    return value;
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) this.#refuse();
  }

  /** Whether `mark` comes next, after space; it is passed then. */
  #take(mark: string): boolean {
    this.#at = skipSpace(this.#text, this.#at);
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #refuse(): never {
    throw new SyntaxError(`No JSON at position ${this.#at}`);
  }
}

/** Where the value stands that comes next within the last of `open`. */
function placeIn(open: readonly OpenContainer[]): (string | number)[] {
  return open.map(({ value, name }) => (Array.isArray(value) ? value.length : name));
}

function addValue({ value: within, name }: OpenContainer, value: Json): void {
  if (Array.isArray(within)) within.push(value);
  // What every object inherits, `__proto__` above all, becomes a member like any other.
  else if (name in Object.prototype) {
    Object.defineProperty(within, name, { value, writable: true, enumerable: true, configurable: true });
  } else within[name] = value;
}
