import { read } from './documents.js';

/** A block of code in a page of docs/operations. */
export interface PageBlock {
  /** What stands behind the three backticks. */
  readonly form: string;
  /** Without the indentation of a list that it stands in. */
  readonly text: string;
}

/** The blocks of code of a page, in their order. @param name of the page in docs/operations, without its ending */
export function blocksOfPage(name: string): PageBlock[] {
  const found = [...read(`docs/operations/${name}.md`).matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)];
  return found.map(([, indent = '', form = '', text = '']) => ({
    form,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/**
 * The text of the one block of a page that begins so.
 *
 * @throws Error where there is none, or more than one: the page has changed
 */
export function blockOf(name: string, start: string): string {
  const [found, other] = blocksOfPage(name).filter(({ text }) => text.startsWith(start));
  if (found === undefined || other !== undefined)
    throw new Error(`docs/operations/${name}.md has ${found === undefined ? 'no block' : 'several blocks'}: ${start}`);
  return found.text;
}

/** The lines of that block. */
export function linesOf(name: string, start: string): string[] {
  return blockOf(name, start).trim().split('\n');
}

/**
 * Puts what a reader puts in the place of parts of a text.
 *
 * @throws Error for a part that the text does not have: the page has changed
 */
export function filledIn(text: string, parts: readonly (readonly [shown: string, used: string])[]): string {
  let filled = text;
  for (const [shown, used] of parts) {
    if (!filled.includes(shown)) throw new Error(`The page has no ${shown}:\n${filled}`);
    filled = filled.replaceAll(shown, used);
  }
  return filled;
}

/** The words of a line as a shell takes them: `'…'` is one, and there is nothing else to it. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

/** The codes between backticks in the text of a page that begin so, each once, in their order. */
export function inlineOf(name: string, start: string): string[] {
  const text = read(`docs/operations/${name}.md`).replaceAll(/^( *)```.*?^\1```$/gms, '');
  const found = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...new Set(found.filter((code) => code.startsWith(start)))];
}
