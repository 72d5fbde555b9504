import { isObject, type Json, type JsonObject } from './json.js';

const ONE = ['additionalItems', 'additionalProperties', 'contains', 'items', 'propertyNames'];
const ONE_IN_PLACE = ['if', 'then', 'else', 'not'];
const LIST_IN_PLACE = ['allOf', 'anyOf', 'oneOf'];
const MAP = ['definitions', 'patternProperties', 'properties'];

/** The schemas right inside a draft-07 schema. */
export interface Inside {
  /** Those that judge the same value as the schema itself. */
  readonly inPlace: Json[];
  /** Those that judge a part of the value, and definitions. */
  readonly deeper: Json[];
  /** The objects in between, which map names to schemas. */
  readonly maps: JsonObject[];
  /** The names that members depend on, each of which is a check of its own. */
  readonly names: Json[];
}

/** Takes a schema apart by the keywords of draft-07; unknown members are left alone. */
export function subschemas(schema: JsonObject): Inside {
  const inside: Inside = { inPlace: [], deeper: [], maps: [], names: [] };
  for (const [keyword, value] of Object.entries(schema)) {
    if (ONE_IN_PLACE.includes(keyword)) inside.inPlace.push(value);
    else if (LIST_IN_PLACE.includes(keyword)) inside.inPlace.push(...elements(value));
    else if (keyword === 'items' && Array.isArray(value)) inside.deeper.push(...value);
    else if (ONE.includes(keyword)) inside.deeper.push(value);
    else if (isObject(value) && (MAP.includes(keyword) || keyword === 'dependencies')) {
      inside.maps.push(value);
      const schemas = keyword === 'dependencies' ? inside.inPlace : inside.deeper;
      for (const member of Object.values(value)) {
        if (Array.isArray(member)) inside.names.push(...member);
        else schemas.push(member);
      }
    }
  }
  return inside;
}

function elements(value: Json): Json[] {
  return Array.isArray(value) ? value : [];
}
