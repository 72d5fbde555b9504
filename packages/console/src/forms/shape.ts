import { DATA_SCHEMAS } from '@countersign/client/data-schemas';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';

/** What a form asks for a value: the subset of JSON Schema that has fields; anything else is written as JSON. */
export type Shape = { readonly about?: string | undefined; readonly initial?: Json | undefined } & (
  | { readonly type: 'object'; readonly members: readonly Member[] }
  | { readonly type: 'array'; readonly items: Shape }
  | { readonly type: 'choice'; readonly values: readonly Json[] }
  | { readonly type: 'variants'; readonly variants: readonly Variant[] }
  | { readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'json' }
);

export interface Member {
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

/** One of several forms that a value may have. */
export interface Variant {
  readonly name: string;
  readonly shape: Shape;
}

export type ObjectShape = Shape & { readonly type: 'object' };

/** What is made into fields of a schema, which strangers may have written: the rest is JSON. */
const MOST_MEMBERS = 200;
const MOST_DEPTH = 16;
const MOST_SHAPES = 5000;

/** A schema that is read, and how many more shapes may come of it: one that refers to itself never ends. */
interface Reading {
  readonly root: JsonObject;
  left: number;
}

const JSON_SHAPE: Shape = { type: 'json' };

/** The shape of the data of a kind, by its name in rules. */
export function shapeOfKind(record: string): Shape {
  return shapeOf({ $ref: `#/$defs/${record}-data` }, { $defs: DATA_SCHEMAS as unknown as JsonObject });
}

/** The shape that a JSON Schema describes, as far as there are fields for it. */
export function shapeOf(schema: Json | undefined, root: JsonObject): Shape {
  return shapeIn(schema, { root, left: MOST_SHAPES }, 0);
}

function shapeIn(schema: Json | undefined, reading: Reading, depth: number): Shape {
  reading.left -= 1;
  if (!isObject(schema as Json) || depth > MOST_DEPTH || reading.left < 0) return JSON_SHAPE;
  const given = schema as JsonObject;
  if (typeof given.$ref === 'string') {
    // What is said of a part that many members share says little of one.
    const { about: _, ...shape } = shapeIn(referred(given.$ref, reading.root), reading, depth + 1);
    return shape;
  }
  const { description, default: initial } = given;
  const about = typeof description === 'string' ? description.slice(0, 500) : undefined;
  return {
    ...bareShape(given, reading, depth),
    ...(about ? { about } : {}),
    ...(initial === undefined ? {} : { initial }),
  };
}

function bareShape(schema: JsonObject, reading: Reading, depth: number): Shape {
  const { type, items, properties, required, allOf } = schema;
  if ('const' in schema) return { type: 'choice', values: [schema.const as Json] };
  if (Array.isArray(schema.enum)) return { type: 'choice', values: schema.enum };
  if (isObject(properties as Json) && Object.keys(properties as JsonObject).length > 0) {
    return objectShape(properties as JsonObject, required, reading, depth);
  }
  const several = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(several)) return variantsShape(several, reading, depth);
  if (Array.isArray(allOf)) return mergedShape(allOf, reading, depth);
  const plain = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  if (plain.length !== 1) return JSON_SHAPE;
  switch (plain[0]) {
    case 'string':
      return { type: 'text' };
    case 'number':
    case 'integer':
    case 'boolean':
      return { type: plain[0] };
    case 'array':
      return isObject(items as Json) ? { type: 'array', items: shapeIn(items, reading, depth + 1) } : JSON_SHAPE;
    default:
      return JSON_SHAPE;
  }
}

function objectShape(properties: JsonObject, required: Json | undefined, reading: Reading, depth: number): Shape {
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(properties)
    .slice(0, MOST_MEMBERS)
    .map(([name, schema]) => ({ name, shape: shapeIn(schema, reading, depth + 1), isRequired: needed.has(name) }));
  return { type: 'object', members };
}

function variantsShape(schemas: readonly Json[], reading: Reading, depth: number): Shape {
  const shapes = schemas
    .filter((one) => !isObject(one) || one.type !== 'null')
    .map((one) => ({ shape: shapeIn(one, reading, depth + 1), schema: one }));
  const [only] = shapes;
  if (shapes.length === 1 && only) return only.shape;
  const variants = shapes.map(({ shape, schema }) => ({ shape, name: variantName(shape, schema) }));
  return { type: 'variants', variants };
}

/** What tells a variant from the others: the values that it alone has, or what it is called. */
function variantName(shape: Shape, schema: Json): string {
  if (shape.type === 'object') {
    const fixed = shape.members.flatMap(({ shape: member, isRequired }) =>
      isRequired && member.type === 'choice' && member.values.length === 1
        ? [choiceText(member.values[0] as Json)]
        : [],
    );
    if (fixed.length > 0) return fixed.join(' ');
  }
  const { title, $ref } = schema as { readonly title?: Json; readonly $ref?: Json };
  if (typeof title === 'string') return title.slice(0, 80);
  if (shape.type !== 'object') return shape.type;
  if (typeof $ref === 'string') return ($ref.split('/').at(-1) ?? '').replace(/-data$/, '');
  const names = shape.members.map(({ name }) => name);
  return `{${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}}`;
}

/** A value as a part of a name. A schema may have anything for one. */
function choiceText(value: Json): string {
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 80);
}

function mergedShape(schemas: readonly Json[], reading: Reading, depth: number): Shape {
  const shapes = schemas.map((one) => shapeIn(one, reading, depth + 1)).filter(({ type }) => type !== 'json');
  const [first, ...others] = shapes;
  return first === undefined ? JSON_SHAPE : others.reduce(narrowed, first);
}

/** A shape, and what another schema for the same value says beside it: a user's schema of the data of a kind. */
export function narrowed(shape: Shape, by: Shape): Shape {
  if (shape.type === 'variants') {
    return { ...shape, variants: shape.variants.map((one) => ({ ...one, shape: narrowed(one.shape, by) })) };
  }
  if (shape.type !== 'object' || by.type !== 'object') return by.type === 'json' ? shape : by;
  const others = new Map(by.members.map((member) => [member.name, member]));
  const members = shape.members.map((member) => {
    const other = others.get(member.name);
    others.delete(member.name);
    if (other === undefined) return member;
    const isRequired = member.isRequired || other.isRequired;
    return { ...member, isRequired, shape: narrowed(member.shape, other.shape) };
  });
  return { ...shape, members: [...members, ...others.values()] };
}

/** What a `$ref` within the same schema names. */
function referred(ref: string, root: JsonObject): Json | undefined {
  if (!ref.startsWith('#')) return undefined;
  let value: Json | undefined = root;
  for (const step of ref.slice(1).split('/').slice(1)) {
    const name = step.replace(/~1/g, '/').replace(/~0/g, '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** A value of a shape to begin with; undefined where something must be written. */
export function initialOf(shape: Shape): Json | undefined {
  if (shape.initial !== undefined) return shape.initial;
  switch (shape.type) {
    case 'object': {
      const members = shape.members.flatMap(({ name, shape: member, isRequired }): [string, Json][] => {
        const value = isRequired ? initialOf(member) : member.initial;
        return value === undefined ? [] : [[name, value]];
      });
      return Object.fromEntries(members);
    }
    case 'array': {
      const first = initialOf(shape.items);
      return isObject(first as Json) ? [first as Json] : [];
    }
    case 'choice':
      return shape.values.length === 1 ? shape.values[0] : undefined;
    case 'variants':
      return shape.variants[0] && initialOf(shape.variants[0].shape);
    default:
      return undefined;
  }
}

/** Whether a value can be shown by the fields of a shape, and by which variant. */
export function fits(shape: Shape, value: Json | undefined): boolean {
  switch (shape.type) {
    case 'object':
      return (
        isObject(value as Json) &&
        shape.members.every(({ name, shape: member }) => {
          const own = (value as JsonObject)[name];
          return own === undefined || member.type !== 'choice' || fits(member, own);
        })
      );
    case 'array':
      return Array.isArray(value);
    case 'choice':
      return shape.values.some((one) => JSON.stringify(one) === JSON.stringify(value));
    case 'variants':
      return shape.variants.some((one) => fits(one.shape, value));
    case 'text':
      return value === undefined || typeof value === 'string';
    case 'number':
    case 'integer':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'json':
      return true;
  }
}
