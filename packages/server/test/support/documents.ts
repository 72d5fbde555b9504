import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The text of a file, by its path in the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** What stands between `<!-- name -->` and `<!-- /name -->` in a document. */
export function section(path: string, name: string): string {
  const [, content] = new RegExp(`<!-- ${name} -->\n(.*?)<!-- /${name.split(' ')[0]} -->`, 's').exec(read(path)) ?? [];
  if (content === undefined) throw new Error(`${path} has no section ${name}`);
  return content;
}

/** The pages in a folder, not those in folders within it. */
export async function pagesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder));
  return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`);
}

/** The anchors that headings of a document get. */
export function anchorsOf(text: string): string[] {
  const withoutCode = text.replace(/^( *)```.*?^\1```$/gms, '');
  return [...withoutCode.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** The rows of the tables in a text, as cells without their marks for code. */
export function rowsOf(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|') && !/^\|[-|]+$/.test(line));
  return rows.map((row) =>
    row
      .replaceAll('`', '')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What stands between backticks in a text. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

type Row = string | readonly (string | undefined)[];

/**
 * Holds the rows of a section of a page against those that the source asks for.
 *
 * @param page its path in the repository
 * @param name of the section
 * @throws Error naming the page, and each row that it lacks or has too many
 */
export function expectRows(page: string, name: string, rows: readonly Row[], due: readonly Row[]): void {
  const write = (row: Row) => (typeof row === 'string' ? row : `| ${row.join(' | ')} |`);
  const [has, should] = [rows.map(write), due.map(write)];
  const faults = [
    ...should.filter((row) => !has.includes(row)).map((row) => `add     ${row}`),
    ...has.filter((row) => !should.includes(row)).map((row) => `remove  ${row}`),
  ];
  if (faults.length === 0 && has.join('\n') !== should.join('\n')) faults.push(`order   ${should.join('\n        ')}`);
  if (faults.length > 0) throw new Error(`${page}, section '${name}':\n  ${faults.join('\n  ')}`);
}

/** Holds a section that is generated against what it should be, line by line; as `expectRows`. */
export function expectSection(page: string, name: string, due: string): void {
  const lines = (text: string) => text.trim().split('\n');
  expectRows(page, name, lines(section(page, name)), lines(due));
}
