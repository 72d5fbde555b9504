import { RE2JS } from 're2js';
import type { PatternBounds } from './bounds.js';
import type { Meter } from './meter.js';
import { toRe2 } from './pattern-syntax.js';

/** A compiled pattern, in the form Ajv calls. */
export interface Pattern {
  test(text: string): boolean;
  /** The source; Ajv tells patterns apart by it. */
  toString(): string;
}

type Engine = ReturnType<RE2JS['re2']>;

/**
 * Bytes of automaton states the patterns of a schema keep between uses: usual ones need less, hostile ones take all.
 */
const KEPT_STATES = 256 * 1024;

/**
 * The patterns of one schema, compiled once each and run in time linear in the text, whatever the pattern.
 */
export class Patterns {
  readonly #meter: Meter;
  readonly #bounds: PatternBounds;
  readonly #compiled = new Map<string, Pattern>();
  readonly #engines: Engine[] = [];
  #instructions = 0;
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

  /**
   * Compiles `source`, an ECMAScript pattern in Unicode mode.
   *
   * @throws Error with a text for the author of the schema: an invalid pattern, one with look-around or back-references
   *   (which exclude linear time), one over the bounds
   */
  compile(source: string): Pattern {
    const known = this.#compiled.get(source);
    if (known !== undefined) return known;
    const { characters, instructions, together, count } = this.#bounds;
    if (source.length > characters) throw new Error(`a pattern is longer than ${characters} characters`);
    if (this.count === count) throw new Error(`schema has more than ${count} different patterns`);
    // Throws for invalid patterns, some of which the engine would take.
    new RegExp(source, 'u');
    const translated = toRe2(source);
    this.#instructions += translated.instructions;
    if (translated.instructions > instructions || this.#instructions > together) {
      throw new Error(`pattern "${source}" repeats too much`);
    }
    const pattern = this.#metered(source, parse(source, translated.text));
    this.#compiled.set(source, pattern);
    return pattern;
  }

  #metered(source: string, compiled: RE2JS): Pattern {
    const engine = compiled.re2();
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
        if (this.#states > KEPT_STATES) this.#forgetStates();
        return matched;
      },
      toString: () => source,
    };
  }

  #forgetStates(): void {
    for (const { dfa } of this.#engines) dfa.clearCache();
    this.#states = 0;
  }
}

function parse(source: string, text: string): RE2JS {
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
function chargeSteps(engine: Engine, meter: Meter): void {
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

function statesOf(engine: Engine): number {
  return engine.lazyDFA === null ? 0 : engine.dfa.stateBudget - engine.dfa.memBudget;
}
