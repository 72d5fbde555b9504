import { _, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import type { Bounds } from './bounds.js';

/** Thrown out of a validation that costs more than it may. */
export class Exhausted extends Error {
  override readonly name = 'Exhausted';
}

/**
 * What one validation may still cost, in units of about a step of compiled code. Counting, unlike a clock, refuses the
 * same data on a busy machine as on an idle one, and it bounds the memory for errors as well.
 */
export class Meter {
  readonly #bounds: Pick<Bounds, 'steps' | 'gathered'>;
  #left = 0;

  constructor(bounds: Pick<Bounds, 'steps' | 'gathered'>) {
    this.#bounds = bounds;
  }

  /** What the validation has cost so far, in those units. */
  get spent(): number {
    return this.#bounds.steps - this.#left;
  }

  /** Starts a validation. */
  start(): void {
    this.#left = this.#bounds.steps;
  }

  /** @throws Exhausted when the validation has cost more than it may */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new Exhausted();
  }

  /** As `spend`, for a subschema before which `gathered` errors were found. */
  enter(units: number, gathered: number): void {
    if (gathered > this.#bounds.gathered) throw new Exhausted();
    this.spend(units);
  }
}

/**
 * The keyword that every subschema of a prepared schema carries: it charges the meter before a value is judged. Where the
 * author of a schema uses the name, that is overwritten.
 */
export const METERED = 'x-metered';

/**
 * The definition of `METERED` that charges `meter`.
 *
 * @param longestName characters of a member name that is judged by pattern or as an additional property
 */
export function makeMeteredKeyword(meter: Meter, longestName: number): CodeKeywordDefinition {
  /** By schema: references repeat it in the code. */
  const charges = new WeakMap<object, Charge>();
  return {
    keyword: METERED,
    before: '$ref',
    trackErrors: true,
    code(cxt: KeywordCxt) {
      const schema = cxt.parentSchema as Readonly<Record<string, unknown>>;
      const charge = charges.get(schema) ?? chargeOf(meter, longestName, schema);
      charges.set(schema, charge);
      const fn = cxt.gen.scopeValue('func', { ref: charge });
      cxt.gen.code(_`${fn}(${cxt.data}, ${cxt.errsCount ?? 0})`);
    },
  };
}

const BY_NAME = ['additionalProperties', 'patternProperties', 'propertyNames'];
const BY_SIZE = ['items', 'contains', 'minProperties', 'maxProperties', ...BY_NAME];

/** Charges for a value before it is judged, given the errors that were found before. */
type Charge = (data: unknown, gathered: number) => void;

function chargeOf(meter: Meter, longestName: number, schema: Readonly<Record<string, unknown>>): Charge {
  const base = ownWeight(schema);
  const named = BY_NAME.some((keyword) => keyword in schema);
  const sized = BY_SIZE.some((keyword) => keyword in schema);
  const measured = 'minLength' in schema || 'maxLength' in schema;
  const perMember = 1 + Math.min(8, memberCount(schema.properties)) + memberCount(schema.patternProperties);
  return (data, gathered) => {
    if (typeof data === 'string') return meter.enter(measured ? base + data.length : base, gathered);
    if (!sized || typeof data !== 'object' || data === null) return meter.enter(base, gathered);
    if (Array.isArray(data)) return meter.enter(base + data.length, gathered);
    const names = Object.keys(data);
    // Every error below such a member spells out the path with its name.
    if (named && names.some((name) => name.length > longestName)) throw new Exhausted();
    meter.enter(base + names.length * perMember, gathered);
  };
}

/** The steps a subschema takes by itself: one for each of its keywords and of the names and schemas right below them. */
function ownWeight(schema: Readonly<Record<string, unknown>>): number {
  let weight = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    weight += keyword === 'enum' || keyword === 'const' ? 1 : 1 + memberCount(value);
    if (keyword === 'dependencies') for (const names of Object.values(value as object)) weight += memberCount(names);
  }
  return weight;
}

function memberCount(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
