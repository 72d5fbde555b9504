import type { Bounds } from './bounds.js';
import { CodeSize } from './code-size.js';
import { copyJson, countValues, isObject, type Json, type JsonObject } from './json.js';
import { METERED } from './meter.js';
import { subschemas } from './subschemas.js';

/** A copy of a schema that is safe to compile. */
export interface PreparedSchema {
  readonly schema: JsonObject;
  /** The keywords in the compiled code, in the count of `Bounds.keywords`. */
  readonly keywords: number;
  /** About how many characters its code has, at most. */
  readonly characters: number;
  /** The patterns that it may run. */
  readonly patterns: readonly string[];
  /** About how many bytes it takes. */
  readonly bytes: number;
}

/** Where copies of references with unusual characters are listed; see `#relocate`. */
const REFERENCE_COPIES = 'x-referenced';

/** Bytes that a value of a schema takes beside its characters. */
const SCHEMA_VALUE_BYTES = 60;

/** A reference that reads the same to every reader of JSON pointers. */
const PLAIN_POINTER = /^#(?:\/[\w$.-]+)*$/;

const NOT_A_SCHEMA = 'a reference leads to something that is not a schema';

/**
 * Makes a copy of `schema` in which every subschema carries `METERED`, and that is free of what reaches beyond it:
 * `$id` and `$schema` (another schema could claim the same name), `$async` (a validator that answers later).
 *
 * @param schema valid by the draft-07 meta-schema, within the bounds of its text
 * @param judge called with each schema that a reference finds outside the places the meta-schema looks at; throws when
 *   it is invalid
 * @throws Error with a text for the author of the schema: references that lead out of it, to a missing place, to
 *   something other than a schema, or back to themselves on the same value; more subschemas or keywords than `bounds`
 *   allow
 */
export function prepareSchema(schema: JsonObject, judge: (schema: Json) => void, bounds: Bounds): PreparedSchema {
  const prepared = new SchemaPreparation(copyJson(schema), judge, bounds).run();
  return { ...prepared, bytes: JSON.stringify(schema).length + SCHEMA_VALUE_BYTES * countValues(schema) };
}

class SchemaPreparation {
  readonly #root: JsonObject;
  readonly #judge: (schema: Json) => void;
  readonly #bounds: Bounds;
  /** The objects that are schemas, each with the schemas that judge the same value. */
  readonly #schemas = new Map<JsonObject, Json[]>();
  /** The objects whose members are names or data, which must stay as they are. */
  readonly #plain = new Set<JsonObject>();
  readonly #references: JsonObject[] = [];
  readonly #listed: Json[] = [];
  readonly #code = new CodeSize();
  /** Characters of the way to each schema. */
  readonly #ways = new Map<JsonObject, number>();
  /** Whether a schema holds references, of those that references lead to. */
  readonly #referring = new Map<JsonObject, boolean>();
  #judgements = 0;
  #keywords = 0;
  #characters = 0;

  constructor(root: JsonObject, judge: (schema: Json) => void, bounds: Bounds) {
    this.#root = root;
    this.#judge = judge;
    this.#bounds = bounds;
  }

  run(): Omit<PreparedSchema, 'bytes'> {
    this.#visit(this.#root, 0);
    // Grows while it is read: what a reference finds may hold references.
    for (const schema of this.#references) this.#follow(schema);
    this.#refuseLoops();
    for (const schema of this.#schemas.keys()) if (Object.keys(schema).length > 0) schema[METERED] = true;
    if (this.#listed.length > 0) this.#root[REFERENCE_COPIES] = this.#listed;
    const [keywords, characters] = [this.#keywords, this.#characters];
    return { schema: this.#root, keywords, characters, patterns: this.#listPatterns() };
  }

  #visit(schema: Json, way: number): void {
    if (schema === false) this.#add(1, 0, 0);
    if (!isObject(schema) || this.#schemas.has(schema)) return;
    if (this.#plain.has(schema)) throw new Error(NOT_A_SCHEMA);
    const nested = schema !== this.#root && typeof schema.$id === 'string' && !schema.$id.startsWith('#');
    if (nested) throw new Error(`nested $id "${schema.$id}" is not supported`);
    for (const name of ['$id', '$schema', '$async', REFERENCE_COPIES]) delete schema[name];
    const inside = subschemas(schema);
    this.#schemas.set(schema, inside.inPlace);
    this.#ways.set(schema, way);
    this.#add(1 + inside.names.length, keywordsOf(schema), this.#code.own(schema, way));
    for (const map of inside.maps) this.#mark(map);
    for (const name of ['enum', 'const']) this.#markData(schema[name]);
    for (const part of inside.all) this.#visit(part.schema, this.#code.way(way, part.at));
    if (typeof schema.$ref === 'string') this.#references.push(schema);
  }

  #mark(map: JsonObject): void {
    if (this.#schemas.has(map)) throw new Error(NOT_A_SCHEMA);
    // Compiled code skips this name, so what the schema says of it would be ignored.
    if (Object.hasOwn(map, '__proto__')) throw new Error('the name "__proto__" is not supported');
    this.#plain.add(map);
  }

  #markData(data: Json | undefined): void {
    if (typeof data !== 'object' || data === null) return;
    if (!Array.isArray(data)) {
      if (this.#schemas.has(data)) throw new Error(NOT_A_SCHEMA);
      this.#plain.add(data);
    }
    for (const member of Object.values(data)) this.#markData(member);
  }

  #follow(schema: JsonObject): void {
    const ref = schema.$ref as string;
    const target = this.#find(ref);
    if (!PLAIN_POINTER.test(ref)) this.#relocate(schema, target);
    if (!isObject(target)) return;
    if (!this.#schemas.has(target)) this.#judge(target);
    const way = this.#code.way(this.#ways.get(schema) ?? 0, [ref]);
    this.#visit(target, way);
    this.#schemas.get(schema)?.push(target);
    // The compiler inlines a target free of references at each place that refers to it.
    if (!this.#isReferring(target)) this.#add(judgements(target), keywords(target), this.#code.whole(target, way));
  }

  #isReferring(target: JsonObject): boolean {
    const is = this.#referring.get(target) ?? holdsReference(target);
    this.#referring.set(target, is);
    return is;
  }

  /** The patterns of the schemas that are compiled: definitions are only where a reference leads to them. */
  #listPatterns(): string[] {
    const patterns = new Set<string>();
    const seen = new Set<Json>();
    const enter = (schema: Json): void => {
      if (!isObject(schema) || seen.has(schema)) return;
      seen.add(schema);
      if (typeof schema.pattern === 'string') patterns.add(schema.pattern);
      if (isObject(schema.patternProperties))
        for (const source of Object.keys(schema.patternProperties)) patterns.add(source);
      for (const part of subschemas(schema).all) if (part.at[0] !== 'definitions') enter(part.schema);
      // What judges the same value, and what a reference leads to.
      for (const part of this.#schemas.get(schema) ?? []) enter(part);
    };
    enter(this.#root);
    return [...patterns];
  }

  #add(judgements: number, keywords: number, characters: number): void {
    this.#judgements += judgements;
    this.#keywords += keywords;
    this.#characters += characters;
    const bounds = this.#bounds;
    if (this.#judgements > bounds.subschemas) throw new Error(`schema has more than ${bounds.subschemas} subschemas`);
    if (this.#keywords > bounds.keywords) throw new Error(`schema has more than ${bounds.keywords} keywords`);
    if (this.#characters > bounds.code) throw new Error('schema repeats long names too often');
  }

  /** The schema that `ref` names: an object or a boolean. */
  #find(ref: string): Json {
    const unresolved = new Error(`can't resolve reference ${ref}: only parts of the same schema can be referenced`);
    if (ref !== '#' && !ref.startsWith('#/')) throw unresolved;
    let found: Json = this.#root;
    for (const token of tokens(ref)) {
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, token)) throw unresolved;
      if (isObject(found) && !this.#plain.has(found)) delete found.$id;
      found = (found as JsonObject)[token] as Json;
    }
    if (!isObject(found) && typeof found !== 'boolean') throw unresolved;
    return found;
  }

  /**
   * Refers to `target` by its place in a list. A pointer with escapes goes through several readers in the compiler: if
   * one read it differently, the compiled schema would differ from the checked one.
   */
  #relocate(schema: JsonObject, target: Json): void {
    schema.$ref = target === this.#root ? '#' : `#/${REFERENCE_COPIES}/${this.#listed.length}`;
    if (target !== this.#root) this.#listed.push(target);
  }

  /**
   * Refuses schemas that come back to themselves without going deeper into the value: judging it would loop endlessly.
   */
  #refuseLoops(): void {
    const done = new Set<JsonObject>();
    const under = new Set<JsonObject>();
    const enter = (schema: Json): void => {
      if (!isObject(schema) || done.has(schema)) return;
      if (under.has(schema)) throw new Error('a reference leads back to itself without going deeper into the data');
      under.add(schema);
      for (const part of this.#schemas.get(schema) ?? []) enter(part);
      under.delete(schema);
      done.add(schema);
    };
    for (const schema of this.#schemas.keys()) enter(schema);
  }
}

function tokens(ref: string): string[] {
  if (ref === '#' || ref === '#/') return [];
  try {
    const parts = ref.slice(2).split('/').map(decodeURIComponent);
    return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    throw new Error(`can't resolve reference ${ref}: it is not a URI`);
  }
}

/** What compiling a schema by itself takes: one for each keyword, and for every eight names that it requires. */
function keywordsOf(schema: JsonObject): number {
  return Object.keys(schema).length + (Array.isArray(schema.required) ? schema.required.length >> 3 : 0);
}

/** The same of a schema and those inside it. */
function keywords(schema: Json): number {
  if (!isObject(schema)) return 0;
  return subschemas(schema).all.reduce<number>((sum, part) => sum + keywords(part.schema), keywordsOf(schema));
}

function holdsReference(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsReference);
  return Object.hasOwn(value, '$ref') || Object.values(value).some(holdsReference);
}

/** How many judgements a schema and those inside it make. */
function judgements(schema: Json): number {
  if (!isObject(schema)) return schema === false ? 1 : 0;
  const { all, names } = subschemas(schema);
  return all.reduce<number>((sum, part) => sum + judgements(part.schema), 1 + names.length);
}
