import { isObject, type Json, type JsonObject } from './json.js';

const ONE_SCHEMA_KEYWORDS = ['additionalItems', 'additionalProperties', 'contains', 'items', 'propertyNames'];
const ONE_IN_PLACE = ['if', 'then', 'else', 'not'];
const LIST_IN_PLACE = ['allOf', 'anyOf', 'oneOf'];
const MAP = ['definitions', 'patternProperties', 'properties'];

/** A schema right inside another one, and the names that lead to it: of a keyword, and of a member or index. */
export interface Subschema {
  readonly schema: Json;
  readonly at: readonly string[];
}

/** The schemas right inside a draft-07 schema. */
export interface Inside {
  /** Those that judge the same value as the schema itself, those that judge a part of it, and definitions. */
  readonly all: Subschema[];
  /** Of these, those that judge the same value. */
  readonly inPlace: Json[];
  /** The objects in between, which map names to schemas. */
  readonly maps: JsonObject[];
  /** The names that members depend on, each of which is a check of its own. */
  readonly names: Json[];
}

/** Takes a schema apart by the keywords of draft-07; unknown members are left alone. */
export function subschemas(schema: JsonObject): Inside {
  const inside: Inside = { all: [], inPlace: [], maps: [], names: [] };
  for (const [keyword, value] of Object.entries(schema)) {
    if (ONE_IN_PLACE.includes(keyword)) addSubschema(inside, true, value, keyword);
    else if (LIST_IN_PLACE.includes(keyword)) addEach(inside, true, elements(value), keyword);
    else if (keyword === 'items' && Array.isArray(value)) addEach(inside, false, value, keyword);
    else if (ONE_SCHEMA_KEYWORDS.includes(keyword)) addSubschema(inside, false, value, keyword);
    else if (isObject(value) && (MAP.includes(keyword) || keyword === 'dependencies')) addMap(inside, value, keyword);
  }
  return inside;
}

function addMap(inside: Inside, map: JsonObject, keyword: string): void {
  inside.maps.push(map);
  for (const [name, member] of Object.entries(map)) {
    if (Array.isArray(member)) for (const dependency of member) inside.names.push(dependency);
    else addSubschema(inside, keyword === 'dependencies', member, keyword, name);
  }
}

function addEach(inside: Inside, isInPlace: boolean, list: readonly Json[], keyword: string): void {
  for (const [index, schema] of list.entries()) addSubschema(inside, isInPlace, schema, keyword, `${index}`);
}

function addSubschema(inside: Inside, isInPlace: boolean, schema: Json, ...at: string[]): void {
  inside.all.push({ schema, at });
  if (isInPlace) inside.inPlace.push(schema);
}

function elements(value: Json): Json[] {
  return Array.isArray(value) ? value : [];
}
