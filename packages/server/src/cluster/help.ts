import { settings } from '../config.js';

/** Columns that help takes: what terminals have at least. */
const WIDTH = 80;
const INDENT = '      ';

/** What `countersign-server --help` prints. */
export function helpText(): string {
  const all = Object.values(settings).flatMap((one) => [
    '',
    `  ${one.name}${'isSecret' in one ? `, or ${one.name}_FILE` : ''}`,
    ...wrap(plain(one.meaning)),
    ...wrap(`Default: ${plain(one.default)}`),
  ]);
  return [
    'Usage: countersign-server [--check | --migrate | --help | --version]',
    '',
    '  Serves ledgers until SIGTERM or SIGINT. Environment variables set everything.',
    '',
    '  --check     looks at settings, master key, ports and database, starts nothing,',
    '              and exits with 0 where the server would start, else with 1',
    '  --migrate   brings the database of DATABASE_URL to the schema of this release,',
    '              as a start does, and exits. It makes no master key. If one is set,',
    '              a new database is tied to it, and another database must match it',
    '  --help      prints this',
    '  --version   prints version and build',
    '',
    'Settings:',
    ...all,
  ].join('\n');
}

/** Markdown without its marks: links by their words. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = INDENT;
  for (const word of text.split(' ')) {
    if (line.length + word.length > WIDTH && line !== INDENT) {
      lines.push(line.trimEnd());
      line = INDENT;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
