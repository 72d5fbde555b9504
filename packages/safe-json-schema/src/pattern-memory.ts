import type { RE2JS } from 're2js';

/** The compiled form of a pattern. */
export type CompiledPattern = ReturnType<RE2JS['re2']>;

/** An instruction of the program that follows one path only: no part of the engine's interface. */
interface Instruction {
  readonly op: number;
  runes: Int32Array;
  next: ArrayLike<number> | null;
}

/** The operation of an instruction that matches one character, whose `next` only serves while the program is made. */
const MATCHES_CHARACTER = 8;

/** Bytes of a pattern, of an instruction, and of an array of an instruction beside its elements. */
const PATTERN = 6_000;
const INSTRUCTION = 220;
const ARRAY = 200;

/** Shorter arrays are left alone: looking for equal ones would take longer than they are worth. */
const LONG = 32;

/**
 * Has the instructions of a compiled pattern share the arrays that are equal: the engine writes each class out for every
 * repetition, some five kilobytes for `\p{L}`.
 *
 * @returns about how many bytes the pattern takes, automaton states left out
 */
export function shareClasses(engine: CompiledPattern): number {
  const { prog, onepass } = engine as unknown as { prog: Program; onepass: Program | null };
  const shared = new SharedArrays();
  for (const instruction of prog.inst) instruction.runes = shared.take(instruction.runes);
  for (const instruction of onepass?.inst ?? []) {
    instruction.runes = shared.take(instruction.runes);
    if (instruction.op === MATCHES_CHARACTER) instruction.next = null;
    // There are fewer than a thousand instructions.
    else if (instruction.next !== null) instruction.next = shared.add(Uint16Array.from(instruction.next));
  }
  // The classes of the automaton are as many as those of the program.
  const automaton = onepass === null ? shared.bytes : 0;
  const instructions = prog.inst.length + (onepass?.inst.length ?? 0);
  return PATTERN + INSTRUCTION * instructions + shared.bytes + automaton;
}

interface Program {
  readonly inst: readonly Instruction[];
}

/** Arrays, each different content once. */
class SharedArrays {
  bytes = 0;
  readonly #byLength = new Map<number, Int32Array[]>();

  take(array: Int32Array): Int32Array {
    if (array.length < LONG) return array;
    const known = this.#byLength.get(array.length) ?? [];
    const same = known.find((one) => one === array || isSameArray(one, array));
    if (same !== undefined) return same;
    this.#byLength.set(array.length, [...known, array]);
    return this.add(array);
  }

  add<T extends Int32Array | Uint16Array>(array: T): T {
    this.bytes += array.byteLength + ARRAY;
    return array;
  }
}

function isSameArray(one: Int32Array, other: Int32Array): boolean {
  return one.every((value, index) => value === other[index]);
}
