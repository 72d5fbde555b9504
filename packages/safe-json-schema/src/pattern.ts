import { RE2JS } from 're2js';
import type { PatternBounds } from './bounds.js';
import type { Meter } from './meter.js';
import { type CompiledPattern, shareClasses } from './pattern-memory.js';
import { toRe2 } from './pattern-syntax.js';

/** A compiled pattern, in the form Ajv calls. */
export interface Pattern {
  test(text: string): boolean;
  /** The source; Ajv tells patterns apart by it. */
  toString(): string;
}

/**
 * Bytes of automaton states that the patterns of a schema build in one validation before they begin again, and that they
 * keep until the next one. Usual patterns need less, hostile ones take all.
 */
const STATE_BYTES = { built: 256 * 1024, kept: 64 * 1024 };

/** Steps, of a tenth of a microsecond, to compile a pattern: for each character, Unicode property, and range. */
const PATTERN_COST = { character: 20, property: 1_500, range: 0.2, onePass: 0.1 };

/** The work of a program that follows one path only, in the count of `PatternSize.onePass`, that is worth it. */
const WORTH_ONE_PASS = 6_000_000;

/**
 * Matches nothing, everywhere. Before a pattern it keeps the engine from making the program that follows one path only,
 * which begins with `^`.
 */
const MATCHES_ANYWHERE = '(?:\\b|\\B)';

/**
 * The patterns of one schema, compiled once each and run in time linear in the text, whatever the pattern.
 */
export class Patterns {
  readonly #meter: Meter;
  readonly #bounds: PatternBounds;
  readonly #compiled = new Map<string, Pattern>();
  /** Why sources were refused. */
  readonly #refused = new Map<string, Error>();
  readonly #engines: CompiledPattern[] = [];
  #instructions = 0;
  #properties = 0;
  #bytes = 0;
  #states = 0;

  /** `meter` is charged for each text a pattern is run on. */
  constructor(meter: Meter, bounds: PatternBounds) {
    this.#meter = meter;
    this.#bounds = bounds;
  }

  /** How many different patterns were compiled. */
  get count(): number {
    return this.#compiled.size;
  }

  /** About how many bytes of memory they take, with the automaton states that are kept. */
  get bytes(): number {
    return this.#bytes + (this.#engines.length > 0 ? STATE_BYTES.kept : 0);
  }

  /**
   * Compiles `source`, an ECMAScript pattern in Unicode mode.
   *
   * @throws Error with a text for the author of the schema: an invalid pattern, one with look-around or back-references
   *   (which exclude linear time), one over the bounds
   */
  compile(source: string): Pattern {
    for (const _ of this.prepare(source));
    const compiled = this.#compiled.get(source);
    if (compiled === undefined) throw this.#refused.get(source) as Error;
    return compiled;
  }

  /**
   * Compiles `source` slice by slice. Where it is refused, `compile` tells so.
   *
   * @yields the steps that the next slice takes
   */
  *prepare(source: string): Generator<number, void> {
    if (this.#compiled.has(source) || this.#refused.has(source)) return;
    try {
      this.#compiled.set(source, yield* this.#compileAnew(source));
    } catch (error) {
      this.#refused.set(source, error as Error);
    }
  }

  /** Forgets what a validation has built beyond what is kept until the next one. */
  rest(): void {
    if (this.#states > STATE_BYTES.kept) this.#forgetStates();
  }

  *#compileAnew(source: string): Generator<number, Pattern> {
    const { characters, instructions, together, count, properties } = this.#bounds;
    if (source.length > characters) throw new Error(`a pattern is longer than ${characters} characters`);
    if (this.count === count) throw new Error(`schema has more than ${count} different patterns`);
    const named = countProperties(source);
    if (this.#properties + named > properties) {
      throw new Error(`the patterns of the schema name more than ${properties} Unicode properties`);
    }
    yield PATTERN_COST.character * source.length + PATTERN_COST.property * named;
    // Throws for invalid patterns, some of which the engine would take.
    new RegExp(source, 'u');
    const translated = toRe2(source);
    if (translated.instructions > instructions || this.#instructions + translated.instructions > together) {
      throw new Error(`pattern "${source}" repeats too much`);
    }
    this.#properties += named;
    this.#instructions += translated.instructions;
    const { text, ranges, onePass } = translated;
    const isWorth = onePass <= WORTH_ONE_PASS;
    yield PATTERN_COST.property * named + PATTERN_COST.range * ranges + (isWorth ? PATTERN_COST.onePass * onePass : 0);
    return this.#metered(source, parsePattern(source, isWorth ? text : MATCHES_ANYWHERE + text));
  }

  #metered(source: string, compiled: RE2JS): Pattern {
    const engine = compiled.re2();
    this.#bytes += shareClasses(engine) + 2 * source.length;
    // A one-pass pattern (most that begin with `^`) runs outside the automaton.
    if (engine.onepass === null) {
      chargeSteps(engine, this.#meter);
      this.#engines.push(engine);
    }
    return {
      test: (text) => {
        this.#meter.spend(1 + (text.length >> 2));
        const before = statesOf(engine);
        const matched = compiled.test(text);
        this.#states += statesOf(engine) - before;
        if (this.#states > STATE_BYTES.built) this.#forgetStates();
        return matched;
      },
      toString: () => source,
    };
  }

  #forgetStates(): void {
    for (const engine of this.#engines) {
      engine.dfa.clearCache();
      engine.reset();
    }
    this.#states = 0;
  }
}

/** How many Unicode properties (`\p{…}`) a pattern names. */
function countProperties(source: string): number {
  return source.match(/\\[\s\S]/g)?.filter((token) => /[pP]/.test(token)).length ?? 0;
}

function parsePattern(source: string, text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : '';
    throw new Error(`pattern "${source}" is not supported: ${reason}`);
  }
}

/**
 * Charges the two slow paths of the engine, which take some hundred times as long per character as following an
 * automaton that is already built: building a state of it, and simulating the NFA when it would grow too large. Both
 * stay linear in the text, but a megabyte would take seconds.
 */
function chargeSteps(engine: CompiledPattern, meter: Meter): void {
  const { dfa } = engine;
  const size = engine.numberOfInstructions();
  const { step } = dfa;
  dfa.step = (...args) => {
    meter.spend(80 + size / 6);
    return step.apply(dfa, args);
  };
  const { doExecuteNFA } = engine;
  engine.doExecuteNFA = (input, ...args) => {
    meter.spend(input.endPos() * (1 + size / 2));
    return doExecuteNFA.call(engine, input, ...args);
  };
}

function statesOf(engine: CompiledPattern): number {
  return engine.lazyDFA === null ? 0 : engine.dfa.stateBudget - engine.dfa.memBudget;
}
