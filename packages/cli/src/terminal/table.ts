import { printable } from './printable.js';

/**
 * A table as text. The last column takes what is left of the width, and is cut there.
 *
 * @param width of the terminal; without one, nothing is cut
 */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  const all = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  return all
    .map((row) =>
      row.map((cell, column) => padded(cell, column === row.length - 1 ? 0 : (widths[column] ?? 0))).join('  '),
    )
    .map((line) => (width === undefined ? line : cut(line.trimEnd(), width)).trimEnd())
    .join('\n');
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length));
}

function cut(line: string, width: number): string {
  const characters = [...line];
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
}
