import { printable } from './printable.js';

/** Between two columns. */
const COLUMN_GAP = '  ';
/** A column is not made narrower. */
const NARROWEST = 6;

/**
 * A table as text. Where it is wider than the terminal, its widest columns are cut, so that each row stays a line.
 *
 * @param width of the terminal; without one, nothing is cut
 */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  const all = [headings, ...rows].map((row) => row.map(printable));
  const wanted = headings.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  const widths =
    width === undefined ? wanted : narrowColumns(wanted, width - COLUMN_GAP.length * (headings.length - 1));
  const lineOf = (row: readonly string[]) =>
    row.map((cell, column) => padCell(cut(cell, widths[column] ?? 0), widths[column] ?? 0)).join(COLUMN_GAP);
  return all.map((row) => (width === undefined ? lineOf(row) : cut(lineOf(row).trimEnd(), width)).trimEnd()).join('\n');
}

/** Widths that fit: the widest columns give first. */
function narrowColumns(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted];
  for (let over = widths.reduce((sum, one) => sum + one, 0) - room; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

function padCell(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length));
}

function cut(line: string, width: number): string {
  const characters = [...line];
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
}
