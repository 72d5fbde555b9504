/** What a part of a pattern compiles to, each at most. */
interface Parts {
  readonly instructions: number;
  /** Ranges of characters of all instructions. */
  readonly ranges: number;
  /** Items that may be left out, and alternatives. */
  readonly choices: number;
}

/** Sizes while reading: of the pattern or group so far, and of the last thing in it, which a quantifier repeats. */
interface GroupSize {
  total: Parts;
  last: Parts;
}

const EMPTY_PARTS: Parts = { instructions: 0, ranges: 0, choices: 0 };

/** About how much a pattern compiles to: counted while it is read, so that it is known before it is compiled. */
export class PatternSize {
  readonly #open: GroupSize[] = [{ total: { ...EMPTY_PARTS, instructions: 2 }, last: EMPTY_PARTS }];
  /** Ranges of the different items, each once. */
  readonly #items = new Map<string, number>();

  /** Instructions, repetitions written out. */
  get instructions(): number {
    return this.#whole.instructions;
  }

  /** Ranges of characters of all instructions, repetitions written out. */
  get ranges(): number {
    return this.#whole.ranges;
  }

  /**
   * The work to make the program that follows one path only, which is tried where there is a `^`. For each instruction, the
   * engine merges the characters that may come next, at every choice up to the next item that must be there: `^a?b?c?…`
   * takes time cubic in its length.
   */
  get onePass(): number {
    if (!this.#items.has('^')) return 0;
    const next = [...this.#items.values()].reduce((sum, ranges) => sum + ranges, 0);
    return this.instructions * (2 + this.#whole.choices) * Math.min(MOST_RANGES, next);
  }

  get #whole(): Parts {
    return (this.#open[0] as GroupSize).total;
  }

  /** Adds one character, class or assertion; `text` tells it apart from others. */
  add(text: string, ranges: number): void {
    this.#items.set(text, ranges);
    this.#append({ instructions: 1, ranges, choices: 0 });
  }

  /** Adds `|`. Each side takes an instruction, even an empty one. */
  addAlternative(): void {
    this.#append({ instructions: 2, ranges: 0, choices: 1 });
  }

  openGroup(): void {
    this.#open.push({ total: EMPTY_PARTS, last: EMPTY_PARTS });
  }

  closeGroup(): void {
    const { total } = this.#open.pop() as GroupSize;
    this.#append({ ...total, instructions: 1 + total.instructions });
  }

  /** Counts `a{n,m}` as m copies, of which m - n can be left out, and `a{n,}` as n copies and a loop. */
  repeat(quantifier: string): void {
    const [, least = '1', most = least] = /^\{(\d+)(?:,(\d*))?/.exec(quantifier) ?? [];
    const copies = Math.max(1, Number(least), Number(most));
    const optional = quantifier.startsWith('{') && most !== '' ? Number(most) - Number(least) : 1;
    const group = this.#open.at(-1) as GroupSize;
    // Of copies that can be left out, each is inside the one before: leaving out the next one is one choice.
    const choices = optional > 0 ? 1 : 0;
    group.total = plus(plus(group.total, group.last, copies - 1), { instructions: optional, ranges: 0, choices });
  }

  #append(last: Parts): void {
    const group = this.#open.at(-1) as GroupSize;
    group.last = last;
    group.total = plus(group.total, last);
  }
}

/** `one` and so many times `other`. */
function plus(one: Parts, other: Parts, times = 1): Parts {
  return {
    instructions: one.instructions + other.instructions * times,
    ranges: one.ranges + other.ranges * times,
    choices: one.choices + other.choices * times,
  };
}

/** The ranges of any class at most: more are not to be had of the properties that there are. */
export const MOST_RANGES = 2_000;

/** Ranges of the largest property, of the largest script, and of properties that are smaller than the largest. */
const PROPERTY = 770;
const SCRIPT = 180;
const SMALLER: Readonly<Record<string, number>> = {
  ...{ M: 330, Mn: 370, Mc: 200, N: 150, Nd: 75, Nl: 15, No: 75, Lm: 80, Lt: 12 },
  ...{ P: 205, Pd: 25, Pe: 80, Po: 200, Ps: 80, S: 250, Sc: 25, Sk: 35, Sm: 70, So: 200, Z: 10, Zs: 10 },
};

/** About how many ranges of characters an escape or character stands for, at most. */
export function rangesOf(token: string): number {
  const [, script, name] = /^\\[pP]\{(?:General_Category=|gc=)?(Script=|sc=)?([^}]*)\}/.exec(token) ?? [];
  if (name !== undefined) return script === undefined || name === 'Unknown' ? (SMALLER[name] ?? PROPERTY) : SCRIPT;
  return token === '.' || /^\\[sSwWdD]$/.test(token) ? 11 : 1;
}
