/** A block of code in a guide that a reader runs, and what it shows as the answer. */
export interface Block {
  /** The shell commands. */
  readonly commands: string;
  /** The terminal that they are typed into. */
  readonly terminal: string;
  /** What a command that goes on prints when it is ready; absent for commands that end. */
  readonly until?: string;
  /** Whether a command is to fail. */
  readonly fails: boolean;
  /** What the guide shows as its output. */
  readonly answer?: { readonly form: 'json' | 'text'; readonly text: string };
  /** Files that the guide has the reader write before. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

const FENCE = /^(?:<!-- ([^\n]*?) -->\n)?```(\w+)(?: ([^\n]+))?\n(.*?)^```$/gms;

/**
 * The blocks that a reader runs, in their order.
 *
 * - `sh` blocks hold commands. A comment on the line before may say `terminal 2`, `until <text>` and `fails`, parted by
 *   commas.
 * - `json answer` and `text answer` blocks hold what the commands before them print.
 * - `js <name>` and `json <name>` blocks are files that the next commands need.
 */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let files: { name: string; text: string }[] = [];
  let end = 0;
  for (const found of markdown.matchAll(FENCE)) {
    const [whole, remark = '', form = '', name = '', text = ''] = found;
    const before = markdown.slice(end, found.index);
    end = found.index + whole.length;
    if (form === 'sh') {
      blocks.push({ commands: text, files, ...remarks(remark) });
      files = [];
    } else if (name === 'answer') {
      const last = blocks.pop();
      if (!last || last.answer || (form !== 'json' && form !== 'text'))
        throw new Error(`An answer to nothing:\n${text}`);
      blocks.push({ ...last, answer: { form, text } });
    } else if (/^[\w-]+\.\w+$/.test(name)) {
      // Readers see the block without its name.
      if (!before.includes(`\`${name}\``)) throw new Error(`The text does not name the file ${name}:\n${before}`);
      files.push({ name, text });
    }
  }
  return blocks;
}

function remarks(text: string): Pick<Block, 'terminal' | 'until' | 'fails'> {
  const terminal = /\bterminal (\w+)/.exec(text)?.[1] ?? '1';
  const until = /\buntil ([^,]+)/.exec(text)?.[1];
  return { terminal, fails: /\bfails\b/.test(text), ...(until === undefined ? {} : { until }) };
}

/** Whether an answer is as shown: but for what differs each time, and for members that the guide leaves out. */
export function isShown(shown: unknown, given: unknown): boolean {
  if (typeof shown === 'string' && typeof given === 'string') {
    const [start = '', ...more] = shown.split('…');
    if (more.length > 0) return given.startsWith(start);
    return withoutChance(shown) === withoutChance(given);
  }
  if (Array.isArray(shown)) {
    return Array.isArray(given) && shown.length === given.length && shown.every((one, at) => isShown(one, given[at]));
  }
  if (typeof shown === 'object' && shown !== null) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
    return Object.entries(shown).every(([name, value]) => isShown(value, (given as Record<string, unknown>)[name]));
  }
  return Object.is(shown, given);
}

/** A text without luids, hashes, keys, signatures, moments, and addresses of this machine. */
export function withoutChance(text: string): string {
  return text
    .replace(/\$[a-z]{3}\.[\w-]{17}/g, 'LUID')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/[A-Za-z0-9+/]{86}==/g, 'SIGNATURE')
    .replace(/[A-Za-z0-9+/]{43}=/g, 'KEY')
    .replace(/key [A-Za-z0-9+/]{8}…/g, 'KEY')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'MOMENT')
    .replace(/(?:127\.0\.0\.1|localhost):\d+/g, 'ADDRESS')
    .replace(/[ \t]+$/gm, '')
    .trim();
}
